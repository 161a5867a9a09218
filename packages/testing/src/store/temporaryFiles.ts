import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Names of databases in a folder of their own, which `remove` deletes. */
export const temporaryFiles = () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-store-"))
  let files = 0
  return {
    next: (): string => join(folder, `${files++}.db`),
    remove: (): void => rmSync(folder, { recursive: true })
  }
}
