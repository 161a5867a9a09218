import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, it } from "vitest"
import { accountApi } from "../src/account/accountApi.ts"
import { adminApi } from "../src/admin/adminApi.ts"
import * as Catalogue from "../src/Catalogue.ts"
import { defaults } from "../src/Names.ts"
import { apiDocument } from "../src/openapi/apiDocument.ts"
import * as OpenApi from "../src/openapi/OpenApi.ts"
import { operations } from "../src/operations.ts"

const run = promisify(execFile)
const bin = (name: string) => join(import.meta.dirname, "../node_modules/.bin", name)

const catalogue = Catalogue.make(operations, defaults)

const documents = ["openapi.json", "one.json", "account.json", "admin.json"]

describe("linters accept the documents", () => {
  let folder = ""
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "openapi-"))
    writeFileSync(join(folder, "openapi.json"), OpenApi.source(catalogue))
    writeFileSync(join(folder, "one.json"), OpenApi.source(catalogue, "rerank"))
    for (const api of [accountApi, adminApi]) {
      writeFileSync(join(folder, `${api.name}.json`), JSON.stringify(apiDocument(api)))
    }
    writeFileSync(join(folder, ".spectral.json"), `{"extends":["spectral:oas"]}`)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it("redocly", async () => {
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
    await run(bin("redocly"), ["lint", "--extends=recommended", "--max-problems=5", ...documents], {
      cwd: folder,
      env
    })
  })

  it("spectral", async () => {
    await run(bin("spectral"), ["lint", "--fail-severity=error", ...documents], { cwd: folder })
  })
})
