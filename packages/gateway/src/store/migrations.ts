import * as Migrator from "effect/sql/Migrator"
import { keys } from "./migrations/0001_keys.ts"

/** Imported, not read from a folder: a bundle carries them along. */
export const migrate = Migrator.make({})({
  table: "tollgate_migrations",
  loader: Migrator.fromRecord({ "0001_keys": keys })
})
