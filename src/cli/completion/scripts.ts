// The scripts know nothing of the commands: at every tab they ask the program itself, so that they never grow old and
// can complete what only a server knows.

import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_punctual() {
  local IFS=$'\\n'
  COMPREPLY=($(punctual complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _punctual punctual
`,
  zsh: `#compdef punctual
_punctual() {
  local line
  local -a found
  for line in \${(f)"$(punctual complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"}; do
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( \${#found} )); then _describe punctual found; else _files; fi
}
compdef _punctual punctual
`,
  fish: `complete -c punctual -f -a '(punctual complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
};

export async function printScript({ out }: Session, _: object, shell: string): Promise<void> {
  const script = SCRIPTS[shell];
  if (script === undefined) throw new UsageError(`There is no completion for "${shell}": there is bash, zsh and fish`);
  out.print(script);
}
