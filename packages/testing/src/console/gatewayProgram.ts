import { onDemand } from "@tollgate-tooling/programs/onDemand.ts"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const workspace = join(import.meta.dirname, "../../../..")
/** A compile cache makes each start faster. */
const cache = join(workspace, "node_modules/.cache/tollgate-program")

export interface ProgramOptions {
  /** Environment variables of the program. */
  readonly env?: Readonly<Record<string, string>>
  /** The content of its configuration file. Default: none. */
  readonly config?: object
}

export interface GatewayProgram {
  readonly address: string
  /** The key of the first start. */
  readonly key: string
  readonly data: string
}

const start = (main: string, data: string, { config, env }: ProgramOptions) => {
  const file = join(data, "tollgate.jsonc")
  if (config !== undefined) writeFileSync(file, JSON.stringify(config))
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: cache,
      TOLLGATE_PORT: "0",
      TOLLGATE_DATA: join(data, "data"),
      ...(config === undefined ? {} : { TOLLGATE_CONFIG: file }),
      ...env
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const banner = new Promise<string>((resolve, reject) => {
    let text = ""
    child.stderr.on("data", (chunk) => (text += chunk))
    child.stdout.on("data", (chunk) => {
      text += chunk
      if (text.includes("Ctrl-C")) resolve(text)
    })
    void ended.then(() => reject(new Error(`the gateway did not start: ${text}`)))
  })
  const stop = () => {
    child.kill("SIGTERM")
    return ended
  }
  return { banner, stop }
}

/** The program as a user starts it, with the console of this checkout, stopped with the scope. */
export const gatewayProgram = Effect.fnUntraced(function* (options: ProgramOptions = {}) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "tollgate-console-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const [main] = yield* Effect.promise(() => Promise.all([onDemand("gateway"), onDemand("console")]))
  const { banner } = yield* Effect.acquireRelease(
    Effect.sync(() => start(main, folder, options)),
    ({ stop }) => Effect.promise(stop)
  )
  const text = yield* Effect.promise(() => banner)
  return {
    address: /Tollgate (http:\S+)/.exec(text)?.[1] ?? "",
    key: options.env?.TOLLGATE_BOOTSTRAP_KEY ?? /tg_[0-9a-z]{39}/.exec(text)?.[0] ?? "",
    data: join(folder, "data")
  } satisfies GatewayProgram
})
