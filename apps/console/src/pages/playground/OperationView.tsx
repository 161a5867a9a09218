import { Link } from "@tanstack/react-router"
import type { OfferedOperation, Scenario } from "@tollgate/contract/account/Offer"
import type { Quote } from "@tollgate/contract/resources/Quote"
import { TollgateProvider } from "@tollgate/react/effect"
import { type FormEvent, type KeyboardEvent, useCallback, useMemo, useRef } from "react"
import { Button } from "../../ui/kit.tsx"
import { Check, Segments } from "../../ui/form.tsx"
import { Chat } from "./chat/Chat.tsx"
import { Snippets } from "./code/Snippets.tsx"
import { conversationOf, isChat } from "./conversation.ts"
import { ArgumentsForm, JsonText } from "./form/ArgumentsForm.tsx"
import { problemIn } from "./json.ts"
import styles from "./playground.module.css"
import { shortPrice, useFocusedForm } from "./Operations.tsx"
import { FilledIn, QuoteLine, Share, Terms } from "./Terms.tsx"
import { Compared } from "./result/Compared.tsx"
import { Result } from "./result/Result.tsx"
import { type Draft, type View, besideArguments, hasPlaceholder, problemOf, streamsAlways } from "./state/Draft.ts"
import { type Workbench, useBench } from "./state/Workbench.ts"

const chat = ["chat", "Chat"] as const
const others: ReadonlyArray<readonly [View, string]> = [
  ["form", "Form"],
  ["json", "As JSON"]
]

const sendKeys = navigator.platform.startsWith("Mac") ? "⌘ Enter" : "Ctrl+Enter"

const ignored = (): void => {}

export interface OperationViewProps {
  readonly operation: OfferedOperation
  readonly scenarios: ReadonlyArray<Scenario>
  readonly workbench: Workbench
}

/** One operation: its arguments, what it can cost, and what came of it. */
export const OperationView = ({ operation, scenarios, workbench }: OperationViewProps) => {
  const { beside, draft, run } = useBench(workbench, operation)
  const quoted = useRef<Quote>(undefined)
  const onQuote = useCallback((quote: Quote | undefined) => {
    quoted.current = quote
  }, [])
  const edit = (change: Partial<Draft>) => workbench.edit(operation, change)
  const isConversation = draft.view === "chat" && isChat(operation)
  const isAnswered = isConversation && conversationOf(operation)?.hasNext(draft.arguments) === false
  const problem = problemOf(draft) ?? (isAnswered ? "Write a message first" : undefined)
  const isRunning = run?.state === "running" || beside?.state === "running"
  const besideDraft = useMemo(() => {
    const given = besideArguments(operation, draft)
    return given === undefined ? undefined : { ...draft, arguments: given }
  }, [operation, draft])
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault()
    if (problem === undefined && !isRunning) workbench.run(operation, quoted.current)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.nativeEvent.isComposing) submit(event)
  }
  const broken = draft.text === undefined ? undefined : problemIn(draft.text)
  useFocusedForm()
  return (
    <>
      <section className={styles["call"]} aria-label={operation.id} onKeyDown={onKeyDown}>
        <header className={styles["head"]}>
          <Link to="/playground" className={styles["back"]}>
            All operations
          </Link>
          <span className={styles["share"]}>
            <Share draft={draft} />
          </span>
          <h2>
            <code>{operation.id}</code>
          </h2>
          <p>{operation.summary}</p>
          <p className={styles["facts"]}>
            <strong title={operation.price}>{shortPrice(operation)}</strong>
            <code>
              {operation.method} {operation.path}
            </code>
          </p>
          <FilledIn operation={operation} workbench={workbench} />
          {hasPlaceholder(operation) ? (
            <p className="small">The values below are placeholders. Replace them with yours.</p>
          ) : null}
        </header>
        <div className={styles["bar"]}>
          <Segments
            label="Edit the arguments as"
            options={isChat(operation) ? [chat, ...others] : others}
            value={draft.view}
            onChange={(view) => edit({ view })}
          />
          {!operation.streams || streamsAlways(operation) ? null : (
            <Check className={styles["check"]} checked={draft.streams} onChange={(streams) => edit({ streams })}>
              Stream
            </Check>
          )}
        </div>
        <form onSubmit={submit} id="call" className={styles["form"]} noValidate>
          {draft.view !== "json" && broken !== undefined ? (
            <div className="notice warn" role="status">
              <strong>The JSON text is not valid yet</strong>
              <p>Your text is kept. Correct it, or discard it to return to the last valid arguments.</p>
              <Button onClick={() => edit({ text: undefined })}>Discard the text</Button>
            </div>
          ) : null}
          <fieldset disabled={draft.view !== "json" && broken !== undefined} className={styles["bare"]}>
            {draft.view === "json" ? (
              <JsonText draft={draft} edit={edit} />
            ) : isConversation ? (
              <Chat operation={operation} draft={draft} run={run} edit={edit} onSend={submit} />
            ) : (
              <ArgumentsForm operation={operation} draft={draft} edit={edit} />
            )}
          </fieldset>
        </form>
        <footer className={styles["go"]}>
          {/* The sandbox plays no operation of the operator's own: a scenario would be ignored, and the call charged. */}
          <Terms operation={operation} draft={draft} scenarios={operation.is_custom ? [] : scenarios} edit={edit} />
          <div className={styles["send"]}>
            <TollgateProvider client={workbench.client}>
              <QuoteLine operation={operation} draft={draft} problem={problem} onQuote={onQuote} />
              {besideDraft === undefined || problem !== undefined ? null : (
                <QuoteLine operation={operation} draft={besideDraft} problem={problem} onQuote={ignored} />
              )}
            </TollgateProvider>
            {/* Two elements: if the one that stops became the one that submits, its click would also submit. */}
            {isRunning ? (
              <Button key="stop" onClick={() => workbench.stop(operation)}>
                Stop
              </Button>
            ) : (
              <Button
                key="run"
                kind="main"
                type="submit"
                form="call"
                disabled={problem !== undefined}
                title={problem}
                aria-keyshortcuts="Control+Enter Meta+Enter"
              >
                {isConversation ? "Send" : "Run"} <kbd aria-hidden="true">{sendKeys}</kbd>
              </Button>
            )}
          </div>
        </footer>
      </section>
      <div className={styles["outcome"]}>
        {run === undefined || beside === undefined ? null : (
          <Compared operation={operation} run={run} beside={beside} />
        )}
        <Result
          operation={operation}
          run={run}
          isConversation={isConversation}
          onResume={() => workbench.resume(operation)}
        />
        {/* Until the next message is written, of the call that was made. */}
        <Snippets
          operation={operation}
          draft={isAnswered && run !== undefined ? { ...draft, arguments: run.arguments } : draft}
        />
      </div>
    </>
  )
}
