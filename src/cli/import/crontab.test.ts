import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { jobInputSchema } from "../../contract/job.ts";
import { readDeclaredFile } from "../declare/declared-file.ts";
import { type CrontabOptions, importCrontab } from "./crontab.ts";
import { countJobs, importedYaml } from "./imported-file.ts";

const OPTIONS: CrontabOptions = {
  source: "crontab",
  userField: false,
  timezone: "Europe/Berlin",
  timezoneFrom: "--tz",
  target: { kind: "shell" },
};

function read(text: string, options: Partial<CrontabOptions> = {}) {
  const imported = importCrontab(text, { ...OPTIONS, ...options });
  const yaml = importedYaml(imported);
  const declared = readDeclaredFile(yaml, "jobs.yaml", null);
  expect(declared.problems).toEqual([]);
  for (const { fields } of declared.jobs) jobInputSchema.parse(fields);
  const jobs = Object.fromEntries(declared.jobs.map(({ name, fields }) => [name, fields]));
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  return { imported, yaml, jobs: jobs as Record<string, any> };
}

function argsOf(line: string, options: Partial<CrontabOptions> = {}): string[] {
  return (Object.values(read(`${line}\n`, options).jobs)[0] as { target: { args: string[] } }).target.args;
}

describe("a line becomes a job that does what crond did", () => {
  test("with its schedule, its command for the shell, and the comment above it", () => {
    const { jobs, yaml } = read("# Nightly backup\n# of everything\n30 2 * * *   /usr/local/bin/backup.sh --full\n");
    expect(jobs.backup).toMatchObject({
      description: "Nightly backup\nof everything",
      schedule: { cron: "30 2 * * *", timezone: "Europe/Berlin" },
      target: { type: "shell", command: "/bin/sh", args: ["-c", "exec </dev/null\n/usr/local/bin/backup.sh --full"] },
      retry: { maxAttempts: 1 },
      overlap: "allow",
      misfire: { policy: "skip" },
    });
    expect(yaml).toContain("# line 3: 30 2 * * *   /usr/local/bin/backup.sh --full");
  });

  test("what follows a percent sign is what the command reads", () => {
    expect(argsOf("0 8 * * 1 mail -s Hi ann%Dear Ann,%%see you")[1]).toBe(
      "{ mail -s Hi ann\n} <<'STDIN'\nDear Ann,\n\nsee you\nSTDIN",
    );
    expect(argsOf("0 0 * * * date +\\%F")[1]).toBe("exec </dev/null\ndate +%F");
    expect(argsOf("0 0 * * * cat%STDIN")[1]).toContain("<<'STDIN_'");
  });

  test("a command that reads its standard input finds it empty, whatever a node gives to it", () => {
    const [flag, script] = argsOf("0 0 * * * cat; echo end");
    const { status, stdout } = spawnSync("/bin/sh", [flag!, script!], { input: "{}", encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "end\n" });
    const [, greeting] = argsOf("0 0 * * * cat%hello");
    expect(spawnSync("/bin/sh", ["-c", greeting!], { input: "{}", encoding: "utf8" }).stdout).toBe("hello\n");
  });

  test("variables above it are its environment, and those that look like passwords become secrets", () => {
    const { jobs, yaml } = read(
      'SHELL=/bin/bash\nPATH = "/opt/bin:/bin"\nHOME=/srv/app\nDB_PASSWORD=hunter2\nMAILTO=ops@example.com\n@daily run\n',
    );
    expect(jobs.run!.target).toEqual({
      type: "shell",
      command: "/bin/bash",
      args: ["-c", "exec </dev/null\nrun"],
      env: { PATH: "/opt/bin:/bin", DB_PASSWORD: "{{secrets.DB_PASSWORD}}" },
      cwd: "/srv/app",
    });
    expect(yaml).not.toContain("hunter2");
    expect(yaml).toContain("punctual secrets set DB_PASSWORD");
    expect(yaml).toContain("MAILTO=ops@example.com: Punctual sends no mail");
  });

  test("CRON_TZ holds for the lines below it", () => {
    const { jobs, yaml } = read("0 1 * * * a\nCRON_TZ=Asia/Tokyo\n0 2 * * * b\nCRON_TZ=Mars/Olympus\n0 3 * * * c\n");
    expect([jobs.a, jobs.b, jobs.c].map((job) => job!.schedule.timezone)).toEqual([
      "Europe/Berlin",
      "Asia/Tokyo",
      "Asia/Tokyo",
    ]);
    expect(yaml).toContain("CRON_TZ=Mars/Olympus is no time zone");
  });

  test("system crontabs name a user", () => {
    const { jobs, yaml } = read("17 *\t* * *\troot    cd / && run-parts --report /etc/cron.hourly\n", {
      userField: true,
    });
    expect(jobs["run-parts"]!.target).toMatchObject({
      user: "root",
      args: ["-c", "exec </dev/null\ncd / && run-parts --report /etc/cron.hourly"],
    });
    expect(yaml).toContain("PUNCTUAL_SHELL_USERS");
    expect(countJobs(read("0 0 * * * root\n", { userField: true }).imported)).toEqual({ ready: 0, toDecide: 1 });
  });

  test("addresses and handlers instead of commands, named after the job", () => {
    const crontab = "0 2 * * * /opt/report.py\n0 3 * * * /opt/report.py --week\n";
    const http = read(crontab, { target: { kind: "http", url: "https://app.example/cron/{name}" } });
    expect(http.jobs["report-2"]!.target).toEqual({ type: "http", url: "https://app.example/cron/report-2" });
    const worker = read(crontab, { target: { kind: "worker", prefix: "cron/" } });
    expect(worker.jobs.report!.target).toEqual({ type: "worker", handler: "cron/report" });
  });
});

describe("what would not do what it did is commented out, with the reason", () => {
  const decided = (line: string) => {
    const { imported, yaml, jobs } = read(`${line}\n`);
    expect(jobs).toEqual({});
    expect(yaml).toContain("# DECIDE: ");
    return imported.jobs[0]!.decisions.join("; ");
  };

  test.each([
    ["@reboot /opt/start", /@reboot means: when crond starts/],
    ["61 * * * * x", /out of range 0-59/],
    ["0 0 30 2 * x", /never fires/],
    ["0~59 3 * * * x", /random time/],
    ["H 3 * * * x", /hashed/],
    ["0 2 * *", /crond cannot read this line/],
    ["just some words", /crond cannot read this line/],
    ["0 0 */2 * 1 x", /match both "\*\/2" \(day of month\) and "1"/],
    ["0 0 1-7 * */2 x", /here either is enough/],
    ["0 0 * * * docker ps --format '{{.Names}}'", /Put the command into a script/],
    [`0 0 * * * ${"x".repeat(9_000)}`, /more than 8000/],
  ])("%s", (line, reason) => {
    expect(decided(line)).toMatch(reason);
  });

  test("what both read alike is taken over", () => {
    const { jobs } = read(
      "0 0 1,15 * 5 a\n*/15 * * * 7 b\n0 0 */2 * * c\n0 9-17/2 * JAN-MAR MON-FRI d\n@Weekly e\n- 5 * * * f\n5-59/10 0 * * sun g\n".replace(
        "- 5",
        "-5 5",
      ),
    );
    expect(Object.keys(jobs)).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
    expect(jobs.f!.schedule.cron).toBe("5 5 * * *");
  });
});

test("the crontab that Debian comes with, and lines that its packages add", () => {
  const { jobs, imported } = read(DEBIAN, { userField: true });
  expect(countJobs(imported)).toEqual({ ready: 6, toDecide: 0 });
  const summary = Object.entries(jobs).map(([name, job]) => [name, job.schedule.cron, job.target.user]);
  expect(summary).toEqual([
    ["run-parts", "17 * * * *", "root"],
    ["run-parts-2", "25 6 * * *", "root"],
    ["run-parts-3", "47 6 * * 7", "root"],
    ["run-parts-4", "52 6 1 * *", "root"],
    ["sessionclean", "09,39 * * * *", "root"],
    ["e2scrub_all_cron", "30 3 * * 0", "root"],
  ]);
  expect(jobs["run-parts"].description).toBe("Example of job definition:");
  expect(jobs["run-parts-2"].target.args[1]).toBe(
    "exec </dev/null\ntest -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.daily; }",
  );
});

const DEBIAN = `# /etc/crontab: system-wide crontab
# Unlike any other crontab you don't have to run the \`crontab'
# command to install the new version when you edit this file

SHELL=/bin/sh
# You can also override PATH, but by default, newer versions inherit it from the environment
#PATH=/usr/local/sbin:/usr/local/bin:/sbin:/bin:/usr/sbin:/usr/bin

# Example of job definition:
# .---------------- minute (0 - 59)
# |  .------------- hour (0 - 23)
# |  |  .---------- day of month (1 - 31)
# |  |  |  .------- month (1 - 12) OR jan,feb,mar,apr ...
# |  |  |  |  .---- day of week (0 - 6) (Sunday=0 or 7) OR sun,mon,tue,wed,thu,fri,sat
# |  |  |  |  |
# *  *  *  *  * user-name command to be executed
17 *\t* * *\troot\tcd / && run-parts --report /etc/cron.hourly
25 6\t* * *\troot\ttest -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.daily; }
47 6\t* * 7\troot\ttest -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.weekly; }
52 6\t1 * *\troot\ttest -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.monthly; }
#
09,39 *     * * *     root   [ -x /usr/lib/php/sessionclean ] && if [ ! -d /run/systemd/system ]; then /usr/lib/php/sessionclean; fi
30 3 * * 0 root test -e /run/systemd/system || SERVICE_MODE=1 /usr/lib/x86_64-linux-gnu/e2fsprogs/e2scrub_all_cron
`;

test("a file from Windows without a last line break, with a job turned off and half a command, is read and said to be odd", () => {
  const { yaml, jobs } = read("\ufeff#0 1 * * * old\r\n0 2 * * * new \\\r\n\r\n0 3 * * * last");
  expect(Object.keys(jobs)).toEqual(["new", "last"]);
  expect(jobs.new).not.toHaveProperty("description");
  expect(yaml).toContain("commented out above it: 0 1 * * * old");
  expect(yaml).toContain("end as on Windows");
  expect(yaml).toContain("last line does not end with a line break");
  expect(yaml).toContain("half a command");
});

test("no crontab, however broken, makes a file that cannot be read back", () => {
  const odd = [
    "0 0 * * * echo '\u0000\u0007' # \u2028 x",
    "0 0 * * * echo \"a: b\" && printf '- %s' \\\\",
    "# */\n\n#---\n#...",
    '=\n==\nA=\n"A"=b\n0',
    "0 0 * * * %\n@daily %%",
    "* * * * *",
    "",
  ];
  for (const text of odd) {
    const declared = readDeclaredFile(importedYaml(importCrontab(text, OPTIONS)), "jobs.yaml", null);
    expect(declared.problems).toEqual([]);
  }
});
