import { program } from "../../release/src/program.ts"

/** One check of the repository. `problems` returns text for a person, empty if there are none. */
export interface Check {
  readonly name: string
  /** The name of a check that must end first. */
  readonly after?: string
  readonly problems: () => Promise<string>
}

export const command =
  (name: string, ...args: ReadonlyArray<string>) =>
  async (): Promise<string> => {
    const { ok, output } = await program(name, args)
    return ok ? "" : output || `${name} failed without output.`
  }

export const lines = (problems: Iterable<string>): string => [...problems].join("\n")
