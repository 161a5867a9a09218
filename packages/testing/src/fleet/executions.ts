import { fork } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** What the upstream executed, by its own log. */
export interface Execution {
  /** What the caller wanted, the same in each repeat. */
  readonly intent: string
  readonly requestId: string
  readonly kind: "whole" | "stream" | "task"
  /** What it costs, in micro-USD. A task that fails costs nothing. */
  readonly micros: number
}

/** Starts the upstream, which appends to `file`. */
export const startUpstream = async (file: string) => {
  const child = fork(fileURLToPath(new URL("./upstream.program.ts", import.meta.url)), [file])
  const [message] = (await once(child, "message")) as [{ readonly baseUrl: string }]
  return {
    baseUrl: message.baseUrl,
    executions: (): ReadonlyArray<Execution> =>
      existsSync(file)
        ? readFileSync(file, "utf8")
            .split("\n")
            .filter((line) => line !== "")
            .map((line) => JSON.parse(line) as Execution)
        : [],
    stop: () => child.disconnect()
  }
}
