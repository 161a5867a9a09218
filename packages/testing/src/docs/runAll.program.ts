import { readdirSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

// Runs every program of a folder, one after the other, and prints a line of JSON for each: what it printed or how it failed.

const folder = process.argv[2] ?? ""

for (const name of readdirSync(folder)
  .filter((file) => file.endsWith(".ts"))
  .sort()) {
  let printed = ""
  const add = (...values: ReadonlyArray<unknown>) =>
    void (printed += `${values.map((value) => JSON.stringify(value)).join(" ")}\n`)
  const { log } = console
  const { write } = process.stdout
  console.log = add
  process.stdout.write = (chunk: unknown) => {
    printed += String(chunk)
    return true
  }
  const failed = await import(pathToFileURL(join(folder, name)).href).then(
    () => undefined,
    (error: unknown) => String(error)
  )
  console.log = log
  process.stdout.write = write
  console.log(JSON.stringify({ name, printed, failed }))
}
