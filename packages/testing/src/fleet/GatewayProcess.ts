import { onDemand } from "@tollgate-tooling/programs/onDemand.ts"
import { type ChildProcess, spawn } from "node:child_process"
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pause } from "./seeded.ts"

const gatewayProgram = await onDemand("gateway")
const workspace = join(import.meta.dirname, "../../../..")
/** A compile cache makes each start faster. */
const cache = join(workspace, "node_modules/.cache/tollgate-program")

export interface CallInFlight {
  /** The connection broke before the answer was whole. */
  isCut: boolean
}

/** One of the gateways, as an operator runs it: the program, started again whenever it ends. */
export class GatewayProcess {
  readonly name: string
  readonly #env: Readonly<Record<string, string>>
  readonly #log: string
  #child: ChildProcess | undefined
  /** Where the log of this process begins in that of all. */
  #startedAt = 0
  /** Where it listens, or did before it died. */
  address = ""
  /** Whether a load balancer sends it calls. */
  isInRotation = false
  /** Calls that were sent to it and have no end yet. */
  readonly inFlight = new Set<CallInFlight>()
  /** Whether it has started and was not ended since. */
  isReady = false

  constructor(name: string, env: Readonly<Record<string, string>>, folder: string) {
    this.name = name
    this.#env = env
    this.#log = join(folder, `${name}.log`)
    writeFileSync(this.#log, "")
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** Starts it until it runs: while the database is gone it ends at once. */
  async start(): Promise<void> {
    while (!(await this.#launch())) await pause(100)
    this.isInRotation = true
    this.isReady = true
  }

  async #launch(): Promise<boolean> {
    const child = spawn(process.execPath, [gatewayProgram], {
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: cache, TOLLGATE_PORT: "0", ...this.#env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    this.#child = child
    this.#startedAt = this.logged.length
    for (const out of [child.stdout, child.stderr]) {
      out.setEncoding("utf8").on("data", (text: string) => appendFileSync(this.#log, text))
    }
    const banner = await new Promise<string | undefined>((resolve) => {
      let text = ""
      child.stdout.on("data", (chunk: string) => {
        text += chunk
        if (text.includes("Ctrl-C")) resolve(text)
      })
      child.once("exit", () => resolve(undefined))
    })
    if (banner === undefined) return false
    this.address = /Tollgate (http:\S+)/.exec(banner)?.[1] ?? ""
    return true
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal)
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Sends a signal that ends it, and waits for that. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const child = this.#child
    if (child === undefined || !this.isRunning) return
    this.isReady = false
    const ended = new Promise((resolve) => child.once("exit", resolve))
    child.kill(signal)
    await ended
  }

  /** What all its processes have logged. */
  get logged(): string {
    return readFileSync(this.#log, "utf8")
  }

  get loggedSinceStart(): string {
    return this.logged.slice(this.#startedAt)
  }
}
