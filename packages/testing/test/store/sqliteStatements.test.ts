import { afterAll } from "@effect/vitest"
import { NodeSqliteClient } from "@tollgate/server"
import { storeSuite } from "@tollgate/testing/store/storeSuite"
import { temporaryFiles } from "@tollgate/testing/store/temporaryFiles"
import { withoutEmbedded } from "@tollgate/testing/store/withoutEmbedded"

const files = temporaryFiles()
afterAll(files.remove)

storeSuite("SQLite, statement by statement", {
  embedded: false,
  single: () => withoutEmbedded(NodeSqliteClient.layer({ filename: ":memory:" })),
  shared: () => {
    const filename = files.next()
    return () => withoutEmbedded(NodeSqliteClient.layer({ filename }))
  }
})
