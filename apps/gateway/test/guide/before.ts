import type { Step } from "./blocks.ts"
import { document } from "./elsewhere.ts"
import { read } from "./newReader.ts"

const step = (text: string, more: { readonly file?: string; readonly terminal?: string } = {}): Step => ({
  block: {
    place: "before it",
    heading: "",
    language: "sh",
    text: `${text}\n`,
    file: more.file,
    terminal: more.terminal,
    notRun: undefined
  },
  shown: "anything"
})

const file = (name: string, content: object): Step => step(JSON.stringify(content), { file: name })
const gateway = (options = ""): Step => step(`tollgate start ${options}`, { terminal: "gateway" })
const key = step("export TOLLGATE_KEY=tg_…")
const running = [gateway(), key]
const configured = (content: object): ReadonlyArray<Step> => [
  file("tollgate.jsonc", content),
  step("export TOLLGATE_CONFIG=tollgate.jsonc")
]
const administered = step("export TOLLGATE_ADMIN_TOKEN=0123456789abcdef")
const account = step("tollgate accounts create Acme")
const call = step(`curl http://127.0.0.1:8787/v1/messages -H "Authorization: Bearer $TOLLGATE_KEY" \
  -H "Content-Type: application/json" -H "anthropic-version: 2023-06-01" \
  -d '{"model":"sandbox","max_tokens":16,"messages":[{"role":"user","content":"Why?"}]}'`)
const emptyDatabase = step("dropdb --force --if-exists tollgate")
const database = [emptyDatabase, step("createdb --encoding=UTF8 tollgate")]

const toolServer = {
  upstreams: { tools: { protocol: "mcp", baseUrl: "https://tools.example/mcp", private: true } }
}

/** The list of prices, and two of them changed. */
const newerPrices = (): object => {
  const list: {
    readonly models: ReadonlyArray<{ readonly model: string; readonly tiers?: object; readonly tools?: object }>
  } = JSON.parse(read("apps/gateway/prices.json"))
  const models = list.models.map((entry) =>
    entry.model === "gpt-6-astra"
      ? { ...entry, tiers: { ...entry.tiers, flex: "0.4" }, tools: { ...entry.tools, web_search: "0.02" } }
      : entry
  )
  return { ...list, models }
}

/** Anthropic's report of today, as the sandbox has answered. Today is not over, so that a difference is only shown. */
const usageReport = step(`cat > usage.json <<END
{ "data": [{ "starting_at": "$(date -u +%F)T00:00:00Z", "ending_at": "$(date -u -d tomorrow +%F)T00:00:00Z",
  "results": [{ "model": "sandbox", "uncached_input_tokens": 3, "output_tokens": 16 }] }], "has_more": false }
END
cp usage.json costs-1.json; cp usage.json costs-2.json`)

/** What a reader of a guide has before its first command, and before the first of a section. */
export const before: Readonly<Record<string, Readonly<Record<string, ReadonlyArray<Step>>>>> = {
  "docs/account.md": { "": running },
  "docs/admin.md": {
    "The command line": [
      ...configured({ sandbox: true }),
      administered,
      step("export TOLLGATE_CONFIG_WRITE=on"),
      ...running,
      account,
      file("openapi.json", document)
    ]
  },
  "docs/agents.md": { "": [...running, step("mkdir .cursor .vscode")] },
  "docs/cache.md": {
    "": [...configured({ cachedAnswers: { "chat.completions": { seconds: 3600, price: 0.1 } } }), ...running]
  },
  "docs/client-browser.md": { "Let users sign in": running },
  "docs/codegen.md": { "": [...running, step("mkdir src")] },
  "docs/configuration.md": {
    "A first file": [file("newer.json", newerPrices())],
    "Sales data": [file("sales.json", { units: 12 })]
  },
  "docs/operations.md": {
    "": [file("api.github.com.json", document), ...configured({ sandbox: true })],
    "Import the tools of an MCP server": configured(toolServer),
    "Call a tool of an MCP server": [
      ...configured({ ...toolServer, operations: [{ file: "tools.operations.json" }] }),
      ...running
    ]
  },
  "docs/reconcile.md": { "": [...running, call, usageReport] },
  "docs/scale.md": {
    "": [emptyDatabase],
    "Move from the embedded store": [
      gateway(),
      step("kill -INT <pid>; while kill -0 <pid> 2> /dev/null; do sleep 0.1; done"),
      emptyDatabase
    ],
    // The store that was moved refuses to be used.
    "PostgreSQL fails, and a standby takes over": [step("rm -rf .tollgate"), ...database],
    "Try a restore": [gateway(), step("mkdir /backup; cp .tollgate/secret /backup/secret")],
    "The files of the store are gone": [step("rm .tollgate/tollgate.db")],
    "The secret is lost": [
      step("export TOLLGATE_STORE='postgres://user:password@db.example.com/tollgate'"),
      step("tollgate keys list; rm .tollgate/secret")
    ]
  },
  "docs/sandbox.md": { "": running },
  "docs/sign-in.md": {
    "": [administered],
    "Give access to an app": [account],
    "What the access allows": [step("tollgate clients create acct_… Report --limit 5")]
  },
  "docs/streams.md": { "Resume a stream": running },
  "docs/tags.md": { "": running },
  "docs/webhooks.md": {
    "": [
      file("tollgate.jsonc", {
        webhooks: [
          {
            url: "https://alerts.example.com/tollgate",
            private: true,
            secret: { env: "WEBHOOK_SECRET" },
            balanceBelow: "5"
          }
        ]
      })
    ],
    // The first charge of an account with 5 USD is a message.
    "See and send again": [key, call, step("tollgate webhooks list")]
  }
}
