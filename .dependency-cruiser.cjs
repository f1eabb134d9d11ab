// The arrows of the architecture: which folder may import which. Everything not named here is refused.
const may = {
  contract: [],
  core: ["contract"],
  store: ["core", "contract"],
  engine: ["core", "contract", "store/port", "targets/port", "telemetry"],
  // A function is called with the same run that a worker gives its handlers.
  targets: ["core", "contract", "client/worker"],
  api: ["contract", "core", "store/port", "targets/port", "telemetry"],
  telemetry: ["core"],
  // How much may be in hand, and for how long, is the same for a worker as for a node.
  client: ["contract", "core/load", "core/start-within"],
  library: ["contract", "core", "engine", "store", "targets", "telemetry", "client", "main"],
  cli: ["contract", "core", "client", "library", "main"],
};

const rules = Object.entries(may).map(([folder, allowed]) => ({
  name: `${folder}-imports`,
  comment: `src/${folder} may import: ${allowed.join(", ") || "nothing of ours"}`,
  severity: "error",
  from: { path: `^src/${folder}/` },
  to: { path: "^src/", pathNot: [`^src/${folder}/`, ...allowed.map((a) => `^src/${a}(/|[.]ts$)`)] },
}));

module.exports = {
  forbidden: [
    ...rules,
    {
      name: "web-imports",
      comment: "the dashboard knows the server through the client alone, which it imports as punctual/client",
      severity: "error",
      from: { path: "^web/" },
      to: { path: "^(src|tests|scripts)/" },
    },
    {
      name: "pages-are-apart",
      comment: "the parts of the dashboard that all pages share know of no page, but for the way in",
      severity: "error",
      from: { path: "^web/src/(ui|api|charts)/" },
      to: { path: "^web/src/pages/" },
    },
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "contract-is-pure",
      severity: "error",
      from: { path: "^src/contract/", pathNot: "[.]test[.]ts$" },
      to: { path: "node_modules", pathNot: "node_modules/zod/" },
    },
    {
      name: "core-is-pure",
      comment: "core takes values and gives values: no packages but hashing and the words for cron sentences",
      severity: "error",
      from: { path: "^src/core/", pathNot: "[.]test[.]ts$" },
      to: { path: "node_modules", pathNot: "node_modules/(cronstrue)/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    exclude: { path: "[.]test[.]ts$" },
  },
};
