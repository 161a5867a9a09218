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

/** The first column of the table in a document that has this head: names of checks. */
export const listedIn = (document: string, head: string): ReadonlyArray<string> => {
  const lines = document.split("\n")
  const from = lines.findIndex((line) => line.startsWith(`| ${head} `))
  const rows = from === -1 ? [] : lines.slice(from + 2)
  const end = rows.findIndex((line) => !line.startsWith("|"))
  return rows.slice(0, end === -1 ? undefined : end).flatMap((row) => {
    const [, first = ""] = row.split("|")
    return [...first.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)
  })
}

/** What the list and the checks that failed do not have in common. */
export const compared = (listed: ReadonlyArray<string>, failed: ReadonlyArray<FailedCheck>) => ({
  notListed: failed.filter(({ check }) => !listed.includes(check)),
  notFailed: listed.filter((name) => !failed.some(({ check }) => check === name))
})
