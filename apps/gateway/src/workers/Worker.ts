import cluster, { type Worker as ClusterWorker } from "node:cluster"

/** What a worker says when it can take calls. */
export interface Ready {
  readonly kind: "ready"
  readonly banner: string
}

const isReady = (message: unknown): message is Ready =>
  typeof message === "object" && message !== null && "kind" in message && message.kind === "ready"

/** How a worker ended, in words: `ended with 1`, `ended by SIGKILL`. */
const endOf = (code: number | null, signal: string | null): string =>
  signal === null ? `ended with ${code}` : `ended by ${signal}`

/** A process that serves a part of the connections. */
export class Worker {
  readonly number: number
  readonly startedAt = performance.now()
  readonly ready: Promise<Ready | undefined>
  /** Resolves with how it ended. */
  readonly ended: Promise<{ readonly code: number; readonly how: string }>
  isReady = false
  isStopping = false
  readonly #process: ClusterWorker

  constructor(number: number) {
    this.number = number
    this.#process = cluster.fork()
    this.ended = new Promise((resolve) =>
      this.#process.once("exit", (code: number | null, signal: string | null) =>
        resolve({ code: code ?? 1, how: endOf(code, signal) })
      )
    )
    this.ready = new Promise((resolve) => {
      this.#process.on("message", (message) => {
        if (!isReady(message)) return
        this.isReady = true
        resolve(message)
      })
      void this.ended.then(() => resolve(undefined))
    })
  }

  get name(): string {
    return `worker ${this.number} (process ${this.#process.process.pid})`
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.process.kill(signal)
  }

  /** Finishes the calls in flight, as a gateway does that is stopped. */
  stop(): Promise<unknown> {
    this.isStopping = true
    this.signal("SIGTERM")
    return this.ended
  }
}
