import { spawn } from "node:child_process"
import { delimiter, join, resolve } from "node:path"

export const root = resolve(import.meta.dirname, "../../..")

const path = [join(root, "node_modules/.bin"), process.env.PATH].join(delimiter)

/** TypeScript is written in Go, and collects garbage for a fifth of its time if it may not take more memory. */
const GOGC = "400"

export interface Ended {
  readonly ok: boolean
  readonly stdout: string
  /** stdout and stderr together, as a terminal would show them. */
  readonly output: string
}

/** Runs a program of the workspace or the machine, and waits until it exits. */
export const program = (
  command: string,
  args: ReadonlyArray<string>,
  cwd: string = root,
  env: Readonly<Record<string, string>> = {}
): Promise<Ended> =>
  new Promise((done) => {
    const child = spawn(command, args, {
      cwd,
      env: { GOGC, ...process.env, ...env, PATH: path },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let stdout = ""
    let output = ""
    child.stdout.on("data", (chunk) => ((stdout += chunk), (output += chunk)))
    child.stderr.on("data", (chunk) => (output += chunk))
    child.on("error", (error) => done({ ok: false, stdout, output: `${command}: ${error.message}` }))
    child.on("close", (code) => done({ ok: code === 0, stdout, output }))
  })

export const succeed = async (...call: Parameters<typeof program>): Promise<string> => {
  const ended = await program(...call)
  if (!ended.ok) throw new Error(`${call[0]} ${call[1].join(" ")}\n${ended.output}`)
  return ended.stdout
}
