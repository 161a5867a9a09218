const maxNames = 512
const maxSeen = 4_096

/**
 * Names the statements that are worth preparing: those that run a second time. A server keeps a prepared statement for as
 * long as the connection lives, so there is a limit; what comes after it runs unprepared.
 */
export class StatementNames {
  readonly #names = new Map<string, string>()
  readonly #seen = new Set<string>()

  of(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= maxNames) return known
    if (!this.#seen.delete(text)) {
      if (this.#seen.size >= maxSeen) this.#seen.clear()
      this.#seen.add(text)
      return undefined
    }
    const name = `s${this.#names.size}`
    this.#names.set(text, name)
    return name
  }
}
