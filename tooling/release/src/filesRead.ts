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
  await import(process.argv[1])
  console.log(JSON.stringify([...files]))
`

/** The files that Node reads when a program of the project imports a package. */
export const filesRead = async (name: string, project: string): Promise<ReadonlyArray<string>> =>
  JSON.parse(await succeed(process.execPath, ["--input-type=module", "--eval", list, name], project))
