// @vitest-environment happy-dom
import { cleanup, configure, fireEvent, render, screen } from "@testing-library/react"
import { reply, reset, says, sequence, testClient } from "@tollgate/client/testing"
import { TollgateProvider, useCall, useStream } from "@tollgate/react"
import { afterEach, expect, it } from "vitest"

const Answer = () => {
  const { error, start, state, text } = useStream("chatCompletionsStream")
  const ask = () => start({ model: "sandbox", messages: [{ role: "user", content: "Why do rivers bend?" }] })
  return (
    <main>
      <button onClick={ask}>Ask</button>
      <p role="status">{error?._tag ?? state}</p>
      <p>{text}</p>
    </main>
  )
}

const Ranking = () => {
  const { call, error, resume, value } = useCall("rerank")
  const rank = () => call({ query: "longest river", documents: ["The Nile…"] })
  return (
    <main>
      <button onClick={rank}>Rank</button>
      {resume && <button onClick={resume}>Find out</button>}
      <p role="status">{error?._tag ?? value?.results.length}</p>
    </main>
  )
}

configure({ asyncUtilTimeout: 60_000 }) // a slow machine is no failure
afterEach(cleanup)

it("shows the answer, which is paid once", async () => {
  const { client, gateway } = testClient()
  gateway.on(client.chatCompletionsStream, says(["Rivers ", "bend."], { cost: "0.002" }))
  render(
    <TollgateProvider client={client}>
      <Answer />
    </TollgateProvider>
  )
  expect(gateway.requests).toEqual([]) // nothing is sent before the click
  fireEvent.click(screen.getByText("Ask"))
  await screen.findByText("done")
  expect(screen.getByText("Rivers bend.")).toBeTruthy()
  expect(gateway.charged).toBe("0.002000")
})

it("keeps the text of a stream that breaks, and shows the error", async () => {
  const { client, gateway } = testClient()
  gateway.on(client.chatCompletionsStream, says(["Rivers "], { end: "cut" }))
  render(
    <TollgateProvider client={client}>
      <Answer />
    </TollgateProvider>
  )
  fireEvent.click(screen.getByText("Ask"))
  await screen.findByText("StreamTruncated")
  expect(screen.getByText("Rivers")).toBeTruthy()
})

it("asks for the outcome of a call whose answer was lost, and pays once", async () => {
  const first = { index: 0, relevance_score: 0.9, document: { text: "The Nile…" } }
  const ranking = { model: "rerank", results: [first], usage: { total_tokens: 500 } }
  const { client, gateway } = testClient({ retry: { retries: 0 } })
  gateway.on(client.rerank, sequence(reset(reply(ranking, { cost: "0.01" }))))
  render(
    <TollgateProvider client={client}>
      <Ranking />
    </TollgateProvider>
  )
  fireEvent.click(screen.getByText("Rank"))
  await screen.findByText("OutcomeUnknown")
  fireEvent.click(screen.getByText("Find out"))
  await screen.findByText("1")
  expect(gateway.charged).toBe("0.010000")
  gateway.check() // every request was scripted, and every step was used
})
