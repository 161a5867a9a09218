import * as Headers from "@tollgate/contract/Headers"
import type { Names } from "@tollgate/contract/Names"

/** Asks the sandbox for a scenario. */
export const scenarioHeader = (names: Names, scenario: string | undefined): Record<string, string> =>
  scenario === undefined ? {} : { [Headers.scenario(names)]: scenario }
