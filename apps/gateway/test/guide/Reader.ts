import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Step, stepsIn } from "./blocks.ts"
import { isPrinted } from "./printed.ts"
import { Terminal } from "./Terminal.ts"

const deadlineMillis = 60_000

export interface Place {
  /** Where the reader begins. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** Ports of the guide, and those to use in their place. */
  readonly ports: Readonly<Record<string, string>>
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
  async follow(page: string): Promise<string> {
    for (const step of stepsIn(page)) {
      const problem = await this.#take(step)
      if (problem !== "") return `${step.block.place}: ${step.block.text.trim()}\n${problem}`
    }
    return ""
  }

  async leave(): Promise<void> {
    for (const terminal of this.#opened) await terminal.interrupt()
  }

  #take({ block, shown }: Step): Promise<string> {
    const { file, terminal, text } = block
    if (file !== undefined) return this.#run(`cat > ${file} <<'END OF FILE'\n${text}END OF FILE`, undefined)
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
    await terminal.until(() => isPrinted(shown, this.#read(terminal)), deadlineMillis)
    return this.#compare(terminal, shown)
  }

  #open(text: string): Terminal {
    const { env, folder, ports } = this.#place
    const typed = Object.entries(ports)
      .reduce((text, [port, free]) => text.replaceAll(port, free), text)
      .replaceAll(/\b([a-z]+_)…/g, (given, prefix: string) => this.#seen.get(prefix) ?? given)
    const terminal = new Terminal(`set -eo pipefail\n. ${this.#state}\n${typed}`, folder, env)
    this.#opened.push(terminal)
    return terminal
  }

  /** What a terminal has printed, with the ports of the guide. */
  #read({ printed }: Terminal): string {
    return Object.entries(this.#place.ports).reduce((text, [port, free]) => text.replaceAll(free, port), printed)
  }

  #compare(terminal: Terminal, shown: Step["shown"]): string {
    const printed = this.#read(terminal)
    for (const [value, prefix = ""] of printed.matchAll(/\b(tg_|acct_|key_)[0-9a-z]{20,}/g))
      this.#seen.set(prefix, value)
    return isPrinted(shown, printed) ? "" : `printed\n${printed}`
  }
}
