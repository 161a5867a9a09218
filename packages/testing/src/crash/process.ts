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

export const startSandbox = async () => {
  const { baseUrl, child } = await start("sandbox", [])
  return {
    baseUrl,
    entries: async (): Promise<ReadonlyArray<Entry>> => {
      child.send("entries")
      const [message] = (await once(child, "message")) as [{ readonly entries: ReadonlyArray<Entry> }]
      return message.entries
    },
    stop: () => child.disconnect()
  }
}

/** The gateway kills itself when it reaches `milestone` for the nth time. */
export const startGateway = (filename: string, upstream: string, milestone: string, nth: number): Promise<Started> =>
  start("gateway", [filename, upstream, milestone, String(nth)])

export const waitForExit = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
}
