/** A check of the suite that failed. */
export interface FailedCheck {
  readonly scenario: string
  readonly check: string
  readonly message: string
}

interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

const scenarioIn = /^server-(.*)-\d{4}-\d\d-\d\dT[\d-]+Z$/

/** The checks that failed, by the name of the folder in which the suite saved those of a scenario. */
export const failedIn = (folder: string, checks: ReadonlyArray<Check>): ReadonlyArray<FailedCheck> =>
  checks
    .filter(({ status }) => status === "FAILURE")
    .map(({ errorMessage = "", id }) => ({
      scenario: scenarioIn.exec(folder)?.[1] ?? folder,
      check: id,
      message: errorMessage
    }))

/** The names of checks in the list that follows this line of a document. */
export const listedIn = (document: string, head: string): ReadonlyArray<string> => {
  const [, after = ""] = document.split(`${head}\n\n`)
  const [list = ""] = after.split("\n\n")
  return list.split("\n").flatMap((row) => {
    const names = row.slice(row.indexOf(": `") + 1)
    return [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)
  })
}

/** What the list and the checks that failed do not have in common. */
export const compared = (listed: ReadonlyArray<string>, failed: ReadonlyArray<FailedCheck>) => ({
  notListed: failed.filter(({ check }) => !listed.includes(check)),
  notFailed: listed.filter((name) => !failed.some(({ check }) => check === name))
})
