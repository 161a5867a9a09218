import { inject } from "vitest"

declare module "vitest" {
  interface ProvidedContext {
    /** Where the set-up of the tests answers. */
    readonly broker: string
  }
}

/**
 * What is started or built once for all test files, when the first of them asks: the address of a server, or the path of the
 * gateway's program. `console`: its files are in place then.
 */
export const onDemand = async (name: "postgres" | "redis" | "gateway" | "console"): Promise<string> => {
  const answer = await fetch(`${inject("broker")}/${name}`)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}
