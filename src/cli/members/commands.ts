import { type Command, Option } from "commander";
import { ROLES } from "../../contract/account.ts";
import { type AddCommand, commandGroup, HELP_GROUPS } from "../command.ts";
import { type ListFlags, withListOptions } from "../listing.ts";
import type { AddMemberFlags, ChangeMemberFlags } from "./members.ts";

export function memberCommands(program: Command, add: AddCommand): void {
  const members = commandGroup(program, {
    name: "members",
    about: "people who have a part in the project",
    aliases: ["member"],
    group: HELP_GROUPS.operate,
  });
  const action = async () => await import("./members.ts");
  add<ListFlags>(members, {
    usage: "list",
    about: "list the project's members, newest first",
    aliases: ["ls"],
    options: withListOptions,
    examples: [["punctual members list", "who they are and what they may do"]],
    onlyReads: true,
    action: async () => (await action()).listMembers,
  });
  add<AddMemberFlags>(members, {
    usage: "add <email>",
    about: "add somebody; for who is new here a link is printed, once",
    options: (command) =>
      withRole(command).option("--name <name>", "what they are called (default: the address before the @)"),
    examples: [
      ["punctual members add ann@example.com --role editor", "send her the link that is printed"],
      ["punctual members add ann@example.com --role viewer --project billing", "she has an account already: no link"],
    ],
    action: async () => (await action()).addMember,
  });
  add<ChangeMemberFlags>(members, {
    usage: "change <member>",
    about: "change what a member may do, at once",
    options: withRole,
    examples: [["punctual members change ann@example.com --role admin", "by address or id"]],
    action: async () => (await action()).changeMember,
  });
  add<{ yes?: boolean }>(members, {
    usage: "remove <member>",
    about: "remove somebody from the project, at once",
    aliases: ["delete", "rm"],
    options: (command) => command.option("-y, --yes", "do not ask"),
    examples: [["punctual members remove ann@example.com", "by address or id; asks first"]],
    action: async () => (await action()).removeMember,
  });
}

function withRole(command: Command): Command {
  const role = new Option("--role <role>", "what they may do; each includes those before it").choices(ROLES);
  return command.addOption(role.makeOptionMandatory());
}
