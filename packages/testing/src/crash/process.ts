import type { Entry } from "@tollgate/sandbox/BillingLog"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

export interface Started {
  readonly baseUrl: string
  readonly child: ChildProcess
}

const start = async (name: string, args: ReadonlyArray<string>): Promise<Started> => {
  const child = fork(fileURLToPath(new URL(`./${name}.program.ts`, import.meta.url)), args)
  const exited = once(child, "exit").then(([code]) => Promise.reject(new Error(`${name} ended with ${code}`)))
  exited.catch(() => {})
  const [message] = (await Promise.race([once(child, "message"), exited])) as [{ readonly baseUrl: string }]
  return { baseUrl: message.baseUrl, child }
}

/** A call that the upstream answered, and the tokens that it reported. */
export interface Billed {
  readonly requestId: string
  readonly tokens: number
}

/** Starts a program that sends its record when it gets a message. */
const startRecording = async <Recorded>(name: string) => {
  const { baseUrl, child } = await start(name, [])
  return {
    baseUrl,
    entries: async (): Promise<ReadonlyArray<Recorded>> => {
      child.send("entries")
      const [message] = (await once(child, "message")) as [{ readonly entries: ReadonlyArray<Recorded> }]
      return message.entries
    },
    stop: () => child.disconnect()
  }
}

export const startSandbox = () => startRecording<Entry>("sandbox")

export const startUpstream = () => startRecording<Billed>("upstream")

/** The gateway kills itself when it reaches `milestone` for the nth time. */
export const startGateway = (filename: string, upstream: string, milestone: string, nth: number): Promise<Started> =>
  start("gateway", [filename, upstream, milestone, String(nth)])

export const waitForExit = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
}
