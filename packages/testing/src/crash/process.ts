import type { Entry } from "@tollgate/sandbox/BillingLog"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

export interface Started {
  readonly baseUrl: string
  readonly child: ChildProcess
}

class EndedAtStart extends Error {
  readonly how: unknown

  constructor(name: string, how: unknown) {
    super(`${name} ended with ${String(how)} before it was ready`)
    this.how = how
  }
}

/** Starts a program of this folder, or of another one beside it: `../invoice/upstream`. */
const start = async (name: string, args: ReadonlyArray<string>): Promise<Started> => {
  const child = fork(fileURLToPath(new URL(`./${name}.program.ts`, import.meta.url)), args)
  const exited = once(child, "exit").then(([code, signal]) => Promise.reject(new EndedAtStart(name, code ?? signal)))
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
export const startRecording = async <Recorded>(name: string, args: ReadonlyArray<string> = []) => {
  const { baseUrl, child } = await start(name, args)
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

/**
 * The gateway kills itself when it reaches `milestone` for the nth time. `undefined`: it did so while it recovered, before it
 * took any call.
 */
export const startGateway = (
  filename: string,
  upstream: string,
  milestone: string,
  nth: number
): Promise<Started | undefined> =>
  start("gateway", [filename, upstream, milestone, String(nth)]).catch((error: unknown) => {
    if (milestone !== "" && error instanceof EndedAtStart && error.how === "SIGKILL") return undefined
    throw error
  })

/** A gateway with its authorization server. It kills itself when a call has used an approval and is not reserved. */
export const startKilledAtApproval = (store: string, upstream: string, baseUrl: string): Promise<Started> =>
  start("../oauth/killedAtApproval", [store, upstream, baseUrl])

export const waitForExit = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
}
