import { fork } from "node:child_process"
import { once } from "node:events"
import { isAbsolute, join } from "node:path"

export interface Program {
  readonly port: number
  /** CPU time used so far. */
  readonly cpuMicros: () => Promise<number>
  /** Resident memory after a garbage collection. */
  readonly memoryBytes: () => Promise<number>
  readonly stop: () => void
}

interface OwnProgram extends Program {
  /** The addresses of the scripts of which a function has run since the last question. The first one starts the count. */
  readonly ranScripts: () => Promise<ReadonlyArray<string>>
}

/** Starts one of `programs/`, or the file at an absolute path, in its own process and waits until it listens. */
export const program = async (name: string, ...args: ReadonlyArray<string>): Promise<OwnProgram> => {
  const child = fork(isAbsolute(name) ? name : join(import.meta.dirname, "programs", `${name}.ts`), args, {
    env: { ...process.env, NODE_ENV: "production" }
  })
  const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`${name} ended with ${code}`)))
  ended.catch(() => {})
  const message = async <A>(): Promise<Readonly<Record<string, A>>> => {
    const [message] = (await Promise.race([once(child, "message"), ended])) as [Record<string, A>]
    return message
  }
  const answer = async (key: string): Promise<number> => (await message<number>())[key] ?? Number.NaN
  return {
    port: await answer("port"),
    cpuMicros: () => {
      child.send("cpu")
      return answer("cpuMicros")
    },
    memoryBytes: () => {
      child.send("memory")
      return answer("memoryBytes")
    },
    ranScripts: async () => {
      child.send("scripts")
      return (await message<ReadonlyArray<string>>()).scripts ?? []
    },
    stop: () => child.disconnect()
  }
}
