import { program } from "../../release/src/program.ts"

/** What is wrong, as text for a person; nothing when all is well. */
export interface Check {
  readonly name: string
  /** Starts when this one has ended. */
  readonly after?: string
  readonly problems: () => Promise<string>
}

export const command =
  (name: string, ...args: ReadonlyArray<string>) =>
  async (): Promise<string> => {
    const { ok, output } = await program(name, args)
    return ok ? "" : output || `${name} failed and said nothing.`
  }

export const lines = (problems: Iterable<string>): string => [...problems].join("\n")
