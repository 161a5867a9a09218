import { type ReactNode, useEffect } from "react"
import { gateway } from "../session/gateway.ts"

export interface PageProps {
  readonly title: string
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The top of every page. */
export const Page = ({ actions, children, lead, title }: PageProps) => {
  useEffect(() => {
    document.title = `${title} · ${gateway.name}`
  }, [title])
  return (
    <>
      <header className="page-head">
        <div>
          <h1>{title}</h1>
          {lead === undefined ? null : <p className="lead">{lead}</p>}
        </div>
        {actions === undefined ? null : <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}
