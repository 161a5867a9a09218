import { Page } from "../../../ui/Page.tsx"

export const UpstreamsPage = () => <Page title="Upstreams">…</Page>
