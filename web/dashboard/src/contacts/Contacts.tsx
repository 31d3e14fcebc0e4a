import { useParams } from 'wouter'
import { AdminWords } from '../app/AdminWords'
import type { Me } from '../app/shapes'
import { ContactList } from './ContactList'
import { ContactPage } from './ContactPage'

/** The contacts screen: the list, or one customer. */
export default function Contacts({ me }: { me: Me }) {
  const { contact } = useParams<{ contact?: string }>()
  return (
    <AdminWords>
      {contact === undefined ? <ContactList /> : <ContactPage key={contact} me={me} id={contact} />}
    </AdminWords>
  )
}
