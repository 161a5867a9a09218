import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Step } from "./blocks.ts"
import { isPrinted } from "./printed.ts"
import { Terminal } from "./Terminal.ts"

const deadlineMillis = 60_000

export interface Place {
  /** Where the reader begins. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** Ports, addresses and folders of the guide, and those to use in their place. */
  readonly replaced: ReadonlyArray<readonly [string, string]>
  /** For the reader's own files. */
  readonly own: string
}

/** Types the commands of a guide into shells, one after the other. */
export class Reader {
  readonly #place: Place
  /** What the shell knows between two blocks: its variables and its folder. */
  readonly #state: string
  readonly #terminals = new Map<string, Terminal>()
  readonly #opened: Array<Terminal> = []
  /** The last value that was printed, by its prefix, such as `acct_`. */
  readonly #seen = new Map<string, string>()

  constructor(place: Place) {
    this.#place = place
    this.#state = join(place.own, "state")
    writeFileSync(this.#state, `cd ${place.folder}\n`)
  }

  /** Follows a guide until something differs from it. Returns that, or an empty text. */
  async follow(steps: ReadonlyArray<Step>): Promise<string> {
    for (const step of steps) {
      const problem = await this.#take(step)
      if (problem !== "") return `${step.block.place}: ${step.block.text.trim()}\n${problem}`
    }
    return ""
  }

  /** Presses Ctrl-C in all terminals. Returns the names of those whose program did not end well. */
  async leave(): Promise<ReadonlyArray<string>> {
    const failed: Array<string> = []
    for (const [name, terminal] of this.#terminals) if (!(await terminal.interrupt())) failed.push(name)
    for (const terminal of this.#opened) await terminal.interrupt()
    return failed
  }

  #take({ block, shown }: Step): Promise<string> {
    const { file, terminal, text } = block
    if (file !== undefined) return this.#run(`cat > ${file} <<'END OF FILE'\n${text}END OF FILE`, "nothing")
    return terminal === undefined ? this.#run(text, shown) : this.#serve(text, shown, terminal)
  }

  async #run(text: string, shown: Step["shown"]): Promise<string> {
    const terminal = this.#open(`${text}\n{ export -p; echo "cd '$PWD'"; } > ${this.#state}`)
    const code = await terminal.ended
    return code === 0 ? this.#compare(terminal, shown) : `ended with ${code} and printed\n${terminal.printed}`
  }

  async #serve(text: string, shown: Step["shown"], name: string): Promise<string> {
    if ((await this.#terminals.get(name)?.interrupt()) === false) return "the program before it did not end well"
    const terminal = this.#open(text)
    this.#terminals.set(name, terminal)
    // Without a text to wait for, it is a gateway: these are the last words of its start.
    const isStarted = () =>
      shown === "anything" ? terminal.printed.includes("Ctrl-C") : isPrinted(shown, this.#read(terminal))
    await terminal.until(isStarted, deadlineMillis)
    return isStarted() ? this.#compare(terminal, shown) : `printed\n${this.#read(terminal)}`
  }

  #open(text: string): Terminal {
    const { env, folder, replaced } = this.#place
    const typed = replaced
      .reduce((text, [given, own]) => text.replaceAll(given, own), text)
      .replaceAll(/\b([a-z]+_)…/g, (given, prefix: string) => this.#seen.get(prefix) ?? given)
    const terminal = new Terminal(`set -eo pipefail\n. ${this.#state}\n${typed}`, folder, env)
    this.#opened.push(terminal)
    return terminal
  }

  /** What a terminal has printed, with the ports and addresses of the guide. */
  #read({ printed }: Terminal): string {
    return this.#place.replaced.reduce((text, [given, own]) => text.replaceAll(own, given), printed)
  }

  #compare(terminal: Terminal, shown: Step["shown"]): string {
    const printed = this.#read(terminal)
    for (const [value, prefix = ""] of printed.matchAll(/\b(tg_|acct_|op_|key_|gr_|machine_|tgs_|msg_)[\w-]{20,}/g))
      this.#seen.set(prefix, value)
    return isPrinted(shown, printed) ? "" : `printed\n${printed}`
  }
}
