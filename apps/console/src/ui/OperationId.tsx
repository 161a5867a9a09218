import { Fragment } from "react"

/** An id of an operation, which a line breaks after a point or an underscore. */
export const OperationId = ({ id }: { readonly id: string }) =>
  id.split(/(?<=[._])/).map((part, at) => (
    <Fragment key={`${at} ${part}`}>
      {at === 0 ? null : <wbr />}
      {part}
    </Fragment>
  ))
