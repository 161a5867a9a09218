import type { Family } from "@tollgate/gateway/driver"

/** What a worker sends to the process that started it. */
export type FromWorker =
  /** It can take calls. */
  | { readonly kind: "ready"; readonly banner: string }
  /** It listens no more. */
  | { readonly kind: "leave_port" }
  /** It is asked for the metrics of all workers. */
  | { readonly kind: "scrape"; readonly scrape: number }
  /** Its own metrics. Without a number they are the last ones before it ends. */
  | { readonly kind: "metrics"; readonly reading?: number; readonly metrics: Family.Snapshot }

export type FromPrimary =
  /** The answer to `leave_port`: all connections that it was handed were sent before. */
  | { readonly kind: "port_left" }
  | { readonly kind: "read_metrics"; readonly reading: number }
  /** The metrics of all workers. */
  | { readonly kind: "scraped"; readonly scrape: number; readonly text: string }

export type Ready = Extract<FromWorker, { kind: "ready" }>

/** Calls `receive` for each message, until the function that is returned is called. Both sides are this program. */
export const onPrimary = (receive: (message: FromPrimary) => void): (() => void) => {
  const listener = (message: unknown) => receive(message as FromPrimary)
  process.on("message", listener)
  return () => void process.off("message", listener)
}

/** Sends a message to the process that started this worker. `done` is called when it is written, or cannot be. */
export const toPrimary = (message: FromWorker, done: () => void = () => {}): void => {
  if (process.send === undefined || !process.connected) return done()
  process.send(message, undefined, undefined, done)
}
