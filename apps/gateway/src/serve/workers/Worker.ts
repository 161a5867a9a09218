import type { Family } from "@tollgate/gateway/driver"
import cluster, { type Worker as ClusterWorker } from "node:cluster"
import type { MetricsSource } from "./CollectedMetrics.ts"
import { type FromPrimary, type FromWorker, type Ready } from "./Message.ts"

/** How a worker ended, in words: `ended with 1`, `ended by SIGKILL`. */
const endOf = (code: number | null, signal: string | null): string =>
  signal === null ? `ended with ${code}` : `ended by ${signal}`

export class Worker implements MetricsSource {
  readonly number: number
  readonly startedAt = performance.now()
  readonly ready: Promise<Ready | undefined>
  /** Resolves with how it ended. */
  readonly ended: Promise<{ readonly code: number; readonly how: string }>
  isReady = false
  isStopping = false
  metrics: Family.Snapshot = []
  readonly #process: ClusterWorker
  readonly #onScrape: () => Promise<string>
  readonly #readings = new Map<number, () => void>()
  #read = 0

  /** `onScrape` returns the metrics of all workers. */
  constructor(number: number, onScrape: () => Promise<string>) {
    this.number = number
    this.#onScrape = onScrape
    this.#process = cluster.fork()
    this.ended = new Promise((resolve) => {
      this.#process.once("exit", (code: number | null, signal: string | null) =>
        resolve({ code: code ?? 1, how: endOf(code, signal) })
      )
      // Also emitted if Node could not write to a process that has just been killed. Its exit follows.
      this.#process.on("error", ({ code }: NodeJS.ErrnoException) => {
        if (this.pid === undefined) resolve({ code: 1, how: `not started: ${code}` })
      })
    })
    this.ready = new Promise((resolve) => {
      this.#process.on("message", (message: FromWorker) => {
        if (message.kind !== "ready") return this.#receive(message)
        this.isReady = true
        resolve(message)
      })
      void this.ended.then(() => resolve(undefined))
    })
  }

  get pid(): number | undefined {
    return this.#process.process.pid
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

  async readMetrics(millis: number): Promise<boolean> {
    const reading = ++this.#read
    let timer: NodeJS.Timeout | undefined
    const answered = new Promise<boolean>((resolve) => {
      this.#readings.set(reading, () => resolve(true))
      timer = setTimeout(() => resolve(false), millis)
      void this.ended.then(() => resolve(false))
    })
    this.#send({ kind: "read_metrics", reading })
    return answered.finally(() => {
      clearTimeout(timer)
      this.#readings.delete(reading)
    })
  }

  #receive(message: Exclude<FromWorker, Ready>): void {
    if (message.kind === "leave_port") {
      this.#send({ kind: "port_left" })
    } else if (message.kind === "scrape") {
      const { scrape } = message
      void this.#onScrape().then((text) => this.#send({ kind: "scraped", scrape, text }))
    } else if (message.kind === "metrics") {
      this.metrics = message.metrics
      if (message.reading !== undefined) this.#readings.get(message.reading)?.()
    }
  }

  #send(message: FromPrimary): void {
    if (this.#process.isConnected()) this.#process.send(message, () => {})
  }
}
