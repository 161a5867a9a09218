import type { ClientConfig } from "pg"
import { SqlError } from "effect/sql/SqlError"

/** What the pool itself says if all its connections are in use for too long. */
const poolIsFull = "timeout exceeded when trying to connect"

/** The servers of an address, of which one takes writes. New connections go to the last one that did. */
export class Servers {
  readonly #configs: ReadonlyArray<ClientConfig>
  #index = 0

  constructor(configs: ReadonlyArray<ClientConfig>) {
    this.#configs = configs
  }

  get count(): number {
    return this.#configs.length
  }

  get current(): ClientConfig {
    return this.#configs[this.#index]!
  }

  /** It cannot be reached, or takes no writes. Several may say so of the same one. */
  failed(server: ClientConfig): void {
    if (server === this.current) this.#index = (this.#index + 1) % this.count
  }

  /** Whether another server may do better. As in libpq, a refused password ends the search. */
  isToBlame(error: unknown): boolean {
    return error instanceof SqlError && error.reason._tag === "ConnectionError" && error.reason.message !== poolIsFull
  }
}
