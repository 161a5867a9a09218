// Prints the totals of a test report; fails when there is none, when no test ran, or when one failed.
import { existsSync, readFileSync } from "node:fs"

const report = existsSync(process.argv[2]) ? JSON.parse(readFileSync(process.argv[2], "utf8")) : { testResults: [] }
const tests = report.testResults.flatMap((file) => file.assertionResults)
const count = (...statuses) => tests.filter(({ status }) => statuses.includes(status)).length

// A file that does not load has no tests to count, and is itself a failure.
const unloaded = report.testResults.filter(
  (file) => file.status === "failed" && !file.assertionResults.some(({ status }) => status === "failed")
)
const passed = count("passed")
const failed = count("failed") + unloaded.length
const skipped = count("skipped", "pending", "todo", "disabled")

console.log(`${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`)
process.exitCode = passed === 0 || failed > 0 ? 1 : 0
