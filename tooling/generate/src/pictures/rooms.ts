import { Picture } from "./Picture.ts"

const picture = new Picture({
  name: "rooms",
  title: "The packages, and which of them imports which",
  width: 800,
  height: 548
})

const row = { app: 20, adapter: 130, core: 240, books: 340, contract: 440 }
const size = { width: 216, height: 60 }

const cli = picture.box({ x: 20, y: row.app, width: 340, height: 60 }, "plain", "apps/gateway", "the tollgate command")
const console = picture.box(
  { x: 400, y: row.app, width: 380, height: 60 },
  "plain",
  "apps/console",
  "pages that the gateway serves"
)

const server = picture.box({ x: 20, y: row.adapter, ...size, width: 122 }, "plain", "server", "HTTP, SQL")
const tools = picture.box({ x: 150, y: row.adapter, ...size, width: 86 }, "own", "tools", "for agents")
const sandbox = picture.box({ x: 244, y: row.adapter, ...size, width: 116 }, "own", "sandbox", "test upstreams")
const browser = picture.box({ x: 400, y: row.adapter, ...size, width: 112 }, "plain", "browser", "fetch, sign-in")
const node = picture.box({ x: 520, y: row.adapter, ...size, width: 76 }, "plain", "node", "undici")
const react = picture.box({ x: 604, y: row.adapter, ...size, width: 76 }, "plain", "react", "hooks")
const ai = picture.box({ x: 688, y: row.adapter, ...size, width: 92 }, "plain", "ai", "models")

const gateway = picture.box({ x: 20, y: row.core, ...size }, "own", "gateway", "the service")
const client = picture.box(
  { x: 400, y: row.core, width: 380, height: 60 },
  "own",
  "client",
  "operations as effects and promises"
)
const ledger = picture.box({ x: 20, y: row.books, ...size }, "own", "ledger", "the books")
const protocols = picture.box(
  { x: 392, y: row.books, width: 184, height: 60 },
  "own",
  "protocols",
  "of language models"
)
const contract = picture.box(
  { x: 20, y: row.contract, width: 760, height: 60 },
  "own",
  "contract",
  "operations, money, prices, errors, the port to the network"
)

/** Straight down, to whatever is below. */
const down = ([x, y]: readonly [number, number], to: { readonly top: readonly [number, number] }) =>
  picture.arrow([
    [x, y],
    [x, to.top[1]]
  ])

down([server.top[0], cli.bottom[1]], server)
down([tools.top[0], cli.bottom[1]], tools)
down([sandbox.top[0], cli.bottom[1]], sandbox)
down([browser.top[0], console.bottom[1]], browser)
down([react.top[0], console.bottom[1]], react)
down(server.bottom, gateway)
down(tools.bottom, gateway)
down(gateway.bottom, ledger)
down(ledger.bottom, contract)
picture.arrow([
  [200, gateway.bottom[1]],
  [200, 320],
  [protocols.top[0], 320],
  [protocols.top[0], protocols.top[1]]
])
down(sandbox.bottom, contract)
for (const adapter of [browser, node, react, ai]) down(adapter.bottom, client)
down(client.bottom, contract)

picture.label(
  [400, 528],
  "An arrow means “imports”. Packages in color know no platform. ai and sandbox import protocols too."
)

export const rooms = picture
