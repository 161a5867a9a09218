// `pnpm bench <name>`. Each is a file beside this one and prints its own figures.
const benches: Readonly<Record<string, string>> = {
  rerank: "the cost of the gateway, without and with billing, against a bare proxy",
  chat: "a billed chat call, against a bare proxy and a peer",
  streams: "many streams at once, and silent ones",
  tools: "a call through the tool server, against HTTP",
  gate: "this checkout against a commit: fails if a call takes 3 % more processor time",
  counts: "what a billed chat call calls and allocates, counted: the same on every machine",
  path: "the processor time of a billed chat call, without sockets and disk",
  translated: "a chat call that is answered in another protocol, against one that is passed on",
  ledger: "the ledger alone",
  limits: "admissions in memory, PostgreSQL and Redis",
  postgres: "gateways on PostgreSQL",
  workers: "connections that workers hand over, or open themselves",
  ports: "new connections of bare workers",
  memory: "what the gateway holds in memory",
  fairness: "calls of others beside one who sends many",
  operations: "many operations of an operator",
  reports: "calls beside reports of a year",
  usage: "reports of usage",
  files: "answers in files",
  client: "the start and the calls of the client"
}

const [name = "rerank"] = process.argv.splice(2, 1)
if (Object.hasOwn(benches, name)) await import(`./${name}.ts`)
else {
  const lines = Object.entries(benches).map(([each, what]) => `  ${each.padEnd(11)}${what}`)
  console.error(`There is no bench ${JSON.stringify(name)}. pnpm bench <name>:\n${lines.join("\n")}`)
  process.exitCode = 1
}
