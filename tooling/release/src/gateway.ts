import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { join } from "node:path"

export interface Gateway {
  /** The settings of a client, as environment variables. */
  readonly env: Readonly<Record<string, string>>
  /** Asks the gateway to end, and returns its exit code. */
  readonly stop: () => Promise<number | null>
}

const command = "node_modules/@tollgate/cli/dist/main.js"

/** Starts the installed command, with its sandbox, on a free port. Its account may send more requests a minute than a new one. */
export const startGateway = async (project: string): Promise<Gateway> => {
  const data = mkdtempSync(join(project, "data-"))
  const env = { ...process.env, TOLLGATE_PORT: "0", TOLLGATE_DATA: data }
  const child = spawn(process.execPath, [command], { cwd: project, env, stdio: ["ignore", "pipe", "inherit"] })
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve))
  const banner = await new Promise<string>((resolve, reject) => {
    let text = ""
    child.stdout.on("data", (chunk) => {
      text += chunk
      if (text.includes("Ctrl-C")) resolve(text)
    })
    void ended.then((code) => reject(new Error(`the gateway ended with ${code}`)))
  })
  const run = (...words: ReadonlyArray<string>) =>
    execFileSync(process.execPath, [command, ...words], { cwd: project, env })
  const [account = ""] = /acct_\w+/.exec(String(run("accounts", "list"))) ?? []
  run("accounts", "set", account, "--rpm", "100000")
  return {
    env: {
      TOLLGATE_BASE_URL: /http:\S+/.exec(banner)![0],
      TOLLGATE_KEY: /tg_[0-9a-z]{39}/.exec(banner)![0]
    },
    stop: () => {
      child.kill("SIGINT")
      return ended
    }
  }
}
