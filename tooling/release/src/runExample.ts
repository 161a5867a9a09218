import { spawn } from "node:child_process"
import type { Example } from "./examples.ts"

/** Runs a compiled example. Returns what is wrong with it, or an empty text. */
export const runExample = (
  node: string,
  file: string,
  { prints, serves }: Example,
  env: Readonly<Record<string, string>>
): Promise<string> =>
  new Promise((done) => {
    const child = spawn(node, [file], { env: { ...process.env, ...env }, timeout: 110_000, killSignal: "SIGKILL" })
    let output = ""
    const unprinted = () => prints.filter((text) => !output.includes(text))
    const add = (chunk: unknown) => {
      output += String(chunk)
      if (serves && unprinted().length === 0) child.kill("SIGINT")
    }
    child.stdout.on("data", add)
    child.stderr.on("data", add)
    child.on("close", (code, signal) => {
      const problems = [
        ...(code === 0 ? [] : [`ended with ${code ?? signal}`]),
        ...unprinted().map((text) => `did not print ${text}`)
      ]
      done(problems.length === 0 ? "" : `${problems.join(", ")}:\n${output}`)
    })
  })
