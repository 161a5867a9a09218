import { type ReactNode, useEffect } from "react"
import { gateway } from "../session/gateway.ts"

export interface PageProps {
  readonly title: string
  /** The way to the list that the page is of, above the title. */
  readonly back?: ReactNode
  /** Beside the title: a state. */
  readonly mark?: ReactNode
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The top of every page. */
export const Page = ({ actions, back, children, lead, mark, title }: PageProps) => {
  useEffect(() => {
    document.title = `${title} · ${gateway.name}`
  }, [title])
  return (
    <>
      <header className="page-head">
        <div>
          {back === undefined ? null : <div className="back">{back}</div>}
          <div className="title">
            <h1>{title}</h1>
            {mark}
          </div>
          {lead === undefined ? null : <p className="lead">{lead}</p>}
        </div>
        {actions === undefined ? null : <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}
