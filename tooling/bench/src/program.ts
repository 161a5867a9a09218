import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"

export interface Program {
  readonly port: number
  readonly stop: () => void
}

/** Starts one of `programs/` in a process of its own and waits until it listens. */
export const program = (name: string, ...args: ReadonlyArray<string>): Promise<Program> =>
  new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL(`./programs/${name}.ts`, import.meta.url)), args, {
      env: { ...process.env, NODE_ENV: "production" }
    })
    child.once("error", reject)
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code}`)))
    child.once("message", (message: { readonly port: number }) =>
      resolve({ port: message.port, stop: () => child.disconnect() })
    )
  })
