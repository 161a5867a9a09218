import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { gatewayProgram } from "../program.ts"

const script = "/usr/bin/script"

/** Makes a terminal for a program. */
export const hasTerminal = existsSync(script)
if (!hasTerminal) console.log(`skipped: what the program shows on a terminal; ${script} of util-linux is missing`)

type Environment = Readonly<Record<string, string>>

const run = (file: string, words: ReadonlyArray<string>, environment: Environment) =>
  new Promise<string>((resolve) => {
    const { NO_COLOR: _, ...env } = process.env
    execFile(file, words, { env: { ...env, TERM: "xterm", ...environment } }, (_, stdout, stderr) =>
      resolve(stdout + stderr)
    )
  })

/** All that the program writes to a terminal. */
export const inTerminal = (environment: Environment, ...words: ReadonlyArray<string>): Promise<string> =>
  run(
    script,
    ["-qec", [process.execPath, gatewayProgram, ...words].map((word) => `"${word}"`).join(" "), "/dev/null"],
    environment
  )

/** All that it writes if other programs read its output. */
export const inPipe = (environment: Environment, ...words: ReadonlyArray<string>): Promise<string> =>
  run(process.execPath, [gatewayProgram, ...words], environment)
