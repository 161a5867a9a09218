import { createClient } from "@tollgate/client/promises/createClient"
import { perform, type Settings } from "./perform.ts"

/** Set by the test that bundles this. */
declare const SETTINGS: Settings

Object.assign(globalThis, { outcome: perform(createClient, SETTINGS) })
