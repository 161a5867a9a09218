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

/** Calls a billed operation with a credential in the header `Authorization`. */
export const call = async (baseUrl: string, credential: string): Promise<Called> =>
  read(
    await fetch(`${baseUrl}/v1/rerank`, {
      method: "POST",
      headers: { authorization: `Bearer ${credential}`, "content-type": "application/json" },
      body: question
    })
  )

export const usage = async (baseUrl: string, credential: string): Promise<Called> =>
  read(
    await fetch(`${baseUrl}/v1/usage?start_time=${Math.floor(Date.now() / 1_000) - 3_600}`, {
      headers: { authorization: `Bearer ${credential}` }
    })
  )
