import { type ChildProcess, spawn } from "node:child_process"

type End = number | NodeJS.Signals | null

/** A shell that runs a script, and what it has printed. */
export class Terminal {
  readonly ended: Promise<End>
  readonly #child: ChildProcess
  readonly #listeners = new Set<() => void>()
  #printed = ""

  constructor(script: string, folder: string, env: NodeJS.ProcessEnv) {
    // A group of its own, so that Ctrl-C reaches all that the shell started.
    const child = spawn("bash", ["-c", script], { cwd: folder, env, detached: true, stdio: ["ignore", "pipe", "pipe"] })
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#printed += text
        for (const listener of this.#listeners) listener()
      })
    this.ended = new Promise((resolve) => child.once("close", (code, signal) => resolve(code ?? signal)))
    this.#child = child
  }

  get printed(): string {
    return this.#printed
  }

  /** Waits until what is printed is as expected. The time bounds only a failure. */
  async until(expected: () => boolean, millis: number): Promise<void> {
    const seen = new Promise<void>((resolve) => {
      this.#listeners.add(() => expected() && resolve())
      setTimeout(resolve, millis).unref()
    })
    await Promise.race([seen, this.ended])
  }

  /** Presses Ctrl-C. Returns whether the program ended as it should then. */
  async interrupt(): Promise<boolean> {
    const { exitCode, pid, signalCode } = this.#child
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, "SIGINT")
    return [0, 130, "SIGINT"].includes((await this.ended) ?? "")
  }
}
