import { day } from "../fill.ts"
import { adminToken, key } from "../question.ts"
import { ready } from "./ready.ts"

// Callers or operators who ask for reports of a year again and again.
const [gateway = "", who = "", count = ""] = process.argv.slice(2)
const now = Math.floor(Date.now() / 1_000)
const year = `start_time=${now - (365 * day) / 1_000}&end_time=${now}`

const get = async (path: string, token: string) => {
  const answer = await fetch(gateway + path, { headers: { authorization: `Bearer ${token}` } })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`no report: ${answer.status} ${text}`)
  return text
}

const operatorPaths = async () => {
  const { accounts } = JSON.parse(await get("/admin/v1/accounts", adminToken)) as {
    readonly accounts: ReadonlyArray<{ readonly id: string; readonly label: string }>
  }
  const account = `/admin/v1/accounts/${accounts.find(({ label }) => label === "bench")?.id}`
  return [
    `/admin/v1/usage/tags?${year}&width=1d&tag=team`,
    `/admin/v1/usage/margin?${year}`,
    `${account}/usage?${year}&width=1d`,
    // No call has this status, so each page looks at as many calls as it may.
    `${account}/calls?limit=1000&status=418`,
    `${account}/calls?limit=1000`
  ]
}

const [paths, token] = who === "operators" ? [await operatorPaths(), adminToken] : [[`/v1/usage?${year}`], key]
const ask = async (first: number) => {
  for (let i = first; ; i++) await get(paths[i % paths.length]!, token)
}
for (let i = 0; i < Number(count); i++) void ask(i)
ready(0)
