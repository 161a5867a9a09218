import { Page } from "../../ui/Page.tsx"

export const LinksPage = () => <Page title="Links">…</Page>
