import { succeed } from "./program.ts"

const list = `
  import { registerHooks } from "node:module"
  const files = new Set()
  registerHooks({
    load: (url, context, next) => {
      if (url.startsWith("file:")) files.add(url)
      return next(url, context)
    }
  })
  process.on("exit", () => console.log("\\n" + JSON.stringify([...files])))
  await import(process.argv[1])
`

/** The files that Node reads when a program of the project imports a package, or when a command runs with these words. */
export const filesRead = async (
  name: string,
  project: string,
  ...words: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  const printed = await succeed(process.execPath, ["--input-type=module", "--eval", list, name, ...words], project)
  return JSON.parse(printed.trim().split("\n").at(-1)!)
}
