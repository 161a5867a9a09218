import { afterAll } from "@effect/vitest"
import { NodeSqliteClient } from "@tollgate/server"
import { storeSuite } from "@tollgate/testing/store/storeSuite"
import { temporaryFiles } from "@tollgate/testing/store/temporaryFiles"

const files = temporaryFiles()
afterAll(files.remove)

storeSuite("SQLite, embedded", {
  embedded: true,
  single: () => NodeSqliteClient.layer({ filename: ":memory:" }),
  shared: () => {
    const filename = files.next()
    return () => NodeSqliteClient.layer({ filename })
  }
})
