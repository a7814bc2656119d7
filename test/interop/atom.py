# Checks an Atom feed from standard input by RFC 4287, with the XML parser of Python's library.
import re
import sys
import xml.etree.ElementTree as ET

ATOM = '{http://www.w3.org/2005/Atom}'
IRI = re.compile(r'^[a-z][a-z0-9+.-]*:\S+$')
DATE = re.compile(r'^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$')


def one(parent, name):
    found = parent.findall(ATOM + name)
    assert len(found) == 1, f'{parent.tag} has {len(found)} {name}'
    return found[0].text or ''


feed = ET.fromstring(sys.stdin.buffer.read())
assert feed.tag == ATOM + 'feed', feed.tag
links = [link.attrib for link in feed.findall(ATOM + 'link')]
assert [link['rel'] for link in links] == ['self', 'alternate'], links  # 4.1.1
assert one(feed.find(ATOM + 'author'), 'name') != ''  # 4.1.1, 3.2.1
ids = [one(feed, 'id')]
entries = feed.findall(ATOM + 'entry')
for each in [feed, *entries]:
    assert one(each, 'title').strip() != ''
    assert DATE.match(one(each, 'updated'))  # 3.3
for entry in entries:
    ids.append(one(entry, 'id'))
    assert one(entry, 'summary') != ''
assert all(IRI.match(each) for each in ids), ids  # 4.2.6
assert len(set(ids)) == len(ids)
print(len(entries))
