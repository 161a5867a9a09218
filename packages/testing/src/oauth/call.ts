/** Costs some micro-USD. */
const question = JSON.stringify({ query: "river mountain sea", documents: ["river mountain sea shore ".repeat(50)] })

export interface Called {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const read = async (response: Response): Promise<Called> => ({
  status: response.status,
  headers: response.headers,
  text: await response.text()
})

const send = async (baseUrl: string, credential: string, headers: Readonly<Record<string, string>>) =>
  read(
    await fetch(`${baseUrl}/v1/rerank`, {
      method: "POST",
      headers: { authorization: `Bearer ${credential}`, "content-type": "application/json", ...headers },
      body: question
    })
  )

/** Calls a billed operation with a credential in the header `Authorization`. */
export const call = (baseUrl: string, credential: string): Promise<Called> => send(baseUrl, credential, {})

/** The most that the call can cost, in micro-USD. */
export const quote = async (baseUrl: string, credential: string): Promise<number> => {
  const { text } = await send(baseUrl, credential, { "x-tollgate-cost-mode": "quote" })
  return (JSON.parse(text) as { readonly max_micros_usd: number }).max_micros_usd
}

export const usage = async (baseUrl: string, credential: string): Promise<Called> =>
  read(
    await fetch(`${baseUrl}/v1/usage?start_time=${Math.floor(Date.now() / 1_000) - 3_600}`, {
      headers: { authorization: `Bearer ${credential}` }
    })
  )
