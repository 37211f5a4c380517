"""Writes graph.ttl from the tables below: ``python data/huts/build_graph.py`` (the standard library is enough).

Every row is written by hand and keeps to WORLD.md: id | English | German | French | other names | facts. A fact's value
is an id of these tables, a number, a date, a time or a word in quotes; several are parted by " + ". Same tables, same
bytes.
"""

# ruff: noqa: E501  (a row of a table is one line)

from __future__ import annotations

import re
from pathlib import Path

CLASSES = """
Place | place | Ort | lieu
Hut | hut | Hütte | refuge | mountain hut@en + Berghütte@de + cabane@fr
StaffedHut | staffed hut | bewirtschaftete Hütte | refuge gardé | serviced hut@en
Bivouac | bivouac | Biwak | bivouac | bivouac shelter@en
RescueHut | rescue hut | Rettungshütte | abri de secours | emergency hut@en
Village | village | Dorf | village
Valley | valley | Tal | vallée
MountainRange | mountain range | Gebirge | massif | range@en
Summit | summit | Gipfel | sommet | peak@en + mountain@en
Pass | pass | Pass | col | mountain pass@en
Lake | lake | See | lac
Track | track | Weg | sentier | trail@en
Route | route | Tour | itinéraire | tour@en + walk@en
Stage | stage | Etappe | étape | leg@en
Person | person | Person | personne
Warden | warden | Hüttenwart | gardien | hut keeper@en + Hüttenwirtin@de + gardienne@fr
Cook | cook | Koch | cuisinier | Köchin@de + cuisinière@fr
Guide | mountain guide | Bergführer | guide de montagne | guide@en
StoreKeeper | store keeper | Magazinverwalter | magasinier
Guest | guest | Gast | hôte | visitor@en
Organisation | organisation | Organisation | organisation | organization@en
Language | language | Sprache | langue
Room | room | Zimmer | chambre | bedroom@en
Dormitory | dormitory | Matratzenlager | dortoir
Booking | booking | Buchung | réservation | reservation@en
Season | season | Saison | saison
Dish | dish | Gericht | plat | meal@en
Ingredient | ingredient | Zutat | ingrédient
Allergen | allergen | Allergen | allergène
WeatherStation | weather station | Wetterstation | station météo
WeatherReport | weather report | Wetterbericht | bulletin météo
"""

# the last column: what values are ("entity" or an XSD type)
PROPERTIES = """
locatedIn | located in | liegt in | situé dans | in the valley@en + lies in@en | entity
partOfRange | part of range | gehört zum Gebirge | fait partie du massif | in the range@en | entity
altitude | altitude | Höhe über Meer | altitude | elevation@en + height@en + how high@en | integer
beds | number of beds | Anzahl Betten | nombre de lits | capacity@en + sleeping places@en + Schlafplätze@de | integer
warden | warden | Hüttenwart | gardien | hut keeper@en + run by@en + gardienne@fr | entity
cook | cook | Koch | cuisinier | who cooks@en + Köchin@de | entity
operator | operated by | betrieben von | géré par | operator@en + belongs to@en | entity
opened | year of opening | Eröffnungsjahr | année d'ouverture | opened in@en + built in@en | gYear
openDuring | open during | geöffnet während | ouvert pendant | season@en | entity
nearestHut | nearest hut | nächste Hütte | refuge le plus proche | | entity
stands | stands at | steht bei | se trouve à | | entity
firstAscent | first climbed in | Erstbesteigung | première ascension | first ascent@en | gYear
firstClimber | first climbed by | zuerst bestiegen von | gravi en premier par | first climber@en | entity
livesIn | lives in | wohnt in | habite à | home village@en + residence@en | entity
born | year of birth | Geburtsjahr | année de naissance | born in@en | gYear
speaks | speaks | spricht | parle | language spoken@en | entity
memberOf | member of | Mitglied von | membre de | | entity
office | has office in | hat Sitz in | a son bureau à | headquarters@en + office@en | entity
leads | guides on | führt auf | guide sur | leads@en | entity
keepsStoreOf | keeps the store of | verwaltet das Lager von | tient le magasin de | | entity
hasStage | stage | Etappe | étape | has stage@en + consists of@en | entity
stageNumber | stage number | Nummer der Etappe | numéro d'étape | | integer
startsAt | starts at | beginnt bei | commence à | start@en + from@en | entity
endsAt | ends at | endet bei | se termine à | end@en + destination@en | entity
crosses | crosses | führt über | franchit | goes over@en | entity
follows | follows | folgt | suit | on track@en | entity
distance | distance | Länge | distance | length in kilometres@en + kilometres@en | decimal
walkingTime | walking time | Gehzeit | temps de marche | duration in hours@en + hours@en | decimal
markedIn | marked in | markiert in | balisé en | colour@en + color@en | string
hasRoom | room | Zimmer | chambre | has room@en | entity
forHut | for hut | für Hütte | pour le refuge | hut booked@en | entity
bookedBy | booked by | gebucht von | réservé par | | entity
arrival | arrival date | Anreisetag | date d'arrivée | arrives on@en | date
nights | nights | Nächte | nuits | number of nights@en | integer
partySize | party size | Gruppengrösse | taille du groupe | number of people@en | integer
confirmedBy | confirmed by | bestätigt von | confirmé par | | entity
opensOn | begins on | beginnt am | commence le | | gMonthDay
closesOn | ends on | endet am | finit le | | gMonthDay
serves | serves | serviert | sert | on the menu@en + dish served@en | entity
ingredient | uses ingredient | enthält Zutat | contient l'ingrédient | made with@en + goes into@en | entity
allergen | contains allergen | enthält Allergen | contient l'allergène | allergen@en | entity
issuedBy | issued by | herausgegeben von | publié par | | entity
issuedAt | issued at | herausgegeben am | publié le | | dateTime
temperature | temperature | Temperatur | température | degrees Celsius@en | decimal
windSpeed | wind speed | Windgeschwindigkeit | vitesse du vent | wind in kilometres an hour@en | integer
windForce | wind force | Windstärke | force du vent | Beaufort@en | integer
avalancheLevel | avalanche level | Lawinenstufe | niveau d'avalanche | avalanche danger@en | integer
"""

THINGS = """
= MountainRange Place
hollenmark | Hollenmark | Hollenmark | Hollenmark | Hollenmark range@en |
corvane | Corvane | Corvane | Corvane | Corvane range@en + massif de la Corvane@fr |
= Valley Place
ottertal | Otter Valley | Ottertal | vallée de l'Otter | Ottertal@en | partOfRange hollenmark
laerchgrund | Lärchgrund | Lärchgrund | Lärchgrund | Lärchgrund valley@en | partOfRange hollenmark
val-sorne | Val Sorne | Val Sorne | Val Sorne | Sorne Valley@en + Sornetal@de | partOfRange corvane
val-brisette | Val Brisette | Val Brisette | Val Brisette | Brisette Valley@en | partOfRange corvane
= Village Place
ottersried | Ottersried | Ottersried | Ottersried | | locatedIn ottertal ; altitude 1020
unterlaerch | Unterlärch | Unterlärch | Unterlärch | Unterlaerch@en | locatedIn laerchgrund ; altitude 1140
sorne-le-haut | Sorne-le-Haut | Sorne-le-Haut | Sorne-le-Haut | Upper Sorne@en | locatedIn val-sorne ; altitude 980
les-ambrettes | Les Ambrettes | Les Ambrettes | Les Ambrettes | | locatedIn val-brisette ; altitude 1210
= StaffedHut Hut Place
laerchgrundhuette | Lärchgrund Hut | Lärchgrundhütte | refuge du Lärchgrund | Laerchgrundhuette@de + Lärchgrund@de | locatedIn laerchgrund ; altitude 1642 ; beds 48 ; warden jana-brunnhold ; cook mattis-oberreut ; operator hollenmark-hut-union ; opened 1931 ; openDuring summer + winter ; serves barley-soup + blueberry-cake
dreibachhuette | Dreibach Hut | Dreibachhütte | refuge des Trois Ruisseaux | Dreibach@de + Three Brooks Hut@en | locatedIn ottertal ; altitude 1987 ; beds 36 ; warden korbin-tesch ; cook korbin-tesch ; operator hollenmark-hut-union ; opened 1926 ; openDuring summer ; serves barley-soup + hollen-dumplings
hochkarhaus | Hochkar House | Hochkarhaus | maison du Hochkar | Hochkar Hut@en + Hochkarhütte@de | locatedIn ottertal ; altitude 2264 ; beds 64 ; warden wilma-aschauer ; cook rosa-veltin ; operator hollenmark-hut-union ; opened 1908 ; openDuring summer ; serves barley-soup + hollen-dumplings
refuge-de-la-sorne | Sorne Refuge | Sorne-Hütte | Refuge de la Sorne | Sorne Hut@en | locatedIn val-sorne ; altitude 1528 ; beds 60 ; warden odile-marchevaux ; cook basile-querou ; operator federation-de-la-corvane ; opened 1954 ; openDuring summer + winter ; serves barley-soup + gratin-de-la-sorne
refuge-du-lac-brisette | Brisette Lake Refuge | Brisettesee-Hütte | Refuge du Lac Brisette | Brisette Lake Hut@en + Lac Brisette@fr | locatedIn val-brisette ; altitude 2133 ; beds 40 ; warden theo-lanvers ; cook ines-dourdan ; operator federation-de-la-corvane ; opened 1961 ; openDuring summer ; serves barley-soup + gratin-de-la-sorne
refuge-de-l-ambre | Amber Refuge | Ambre-Hütte | Refuge de l'Ambre | Ambre Hut@en | locatedIn val-brisette ; altitude 2418 ; beds 28 ; warden maelle-fontcre ; cook maelle-fontcre ; operator federation-de-la-corvane ; opened 1937 ; openDuring summer ; serves barley-soup + lentil-stew
= Bivouac Hut Place
steinkar-biwak | Steinkar Bivouac | Steinkar-Biwak | bivouac du Steinkar | | locatedIn ottertal ; altitude 2781 ; beds 8 ; operator hollenmark-hut-union ; opened 1998 ; openDuring whole-year
bivouac-de-la-pointe-d-ambre | Amber Point Bivouac | Ambre-Biwak | Bivouac de la Pointe d'Ambre | Pointe d'Ambre Bivouac@en | locatedIn val-brisette ; altitude 2936 ; beds 9 ; operator federation-de-la-corvane ; opened 1974 ; openDuring whole-year
= RescueHut Hut Place
nebelsattel-rettungshuette | Nebelsattel Rescue Hut | Nebelsattel-Rettungshütte | abri de secours du Col des Brumes | | locatedIn nebelsattel ; altitude 2431 ; beds 6 ; operator two-slopes-network ; opened 1949 ; openDuring whole-year
= Pass Place
nebelsattel | Nebelsattel | Nebelsattel | Col des Brumes | Mist Saddle@en | altitude 2431 ; partOfRange hollenmark + corvane
= Summit Place
grosser-hollen | Grosser Hollen | Grosser Hollen | Grand Hollen | Great Hollen@en + Hollen@de | altitude 3318 ; partOfRange hollenmark ; nearestHut hochkarhaus ; firstAscent 1862 ; firstClimber clemens-rautner
steinkarkopf | Steinkarkopf | Steinkarkopf | Tête du Steinkar | | altitude 2990 ; partOfRange hollenmark ; nearestHut steinkar-biwak ; firstAscent 1871 ; firstClimber clemens-rautner
pointe-d-ambre | Pointe d'Ambre | Ambrespitze | Pointe d'Ambre | Amber Point@en | altitude 3104 ; partOfRange corvane ; nearestHut bivouac-de-la-pointe-d-ambre ; firstAscent 1889 ; firstClimber hortense-valjoux
= Lake Place
lac-brisette | Lake Brisette | Brisettesee | Lac Brisette | | locatedIn val-brisette ; altitude 2118 ; nearestHut refuge-du-lac-brisette
hochkarsee | Hochkar Lake | Hochkarsee | lac du Hochkar | | locatedIn ottertal ; altitude 2241 ; nearestHut hochkarhaus
= Organisation
hollenmark-hut-union | Hollenmark Hut Union | Hüttenverein Hollenmark | Union des refuges du Hollenmark | | office ottersried ; memberOf two-slopes-network ; opened 1901
federation-de-la-corvane | Federation of the Corvane Refuges | Verband der Corvane-Hütten | Fédération des refuges de la Corvane | Corvane Federation@en | office sorne-le-haut ; memberOf two-slopes-network ; opened 1926
two-slopes-network | Two Slopes Network | Netz der zwei Hänge | Réseau des deux versants | | office ottersried + sorne-le-haut ; opened 2024
tamarack-walking-club | Tamarack Walking Club | Wanderverein Tamarack | Club de marche Tamarack | the Tamaracks@en |
= Language
german | German | Deutsch | allemand | German language@en |
french | French | Französisch | français | French language@en |
english | English | Englisch | anglais | English language@en |
= Warden Person
jana-brunnhold | Jana Brunnhold | Jana Brunnhold | Jana Brunnhold | | livesIn unterlaerch ; born 1978 ; speaks german + english ; memberOf hollenmark-hut-union
korbin-tesch | Korbin Tesch | Korbin Tesch | Korbin Tesch | | livesIn ottersried ; born 1971 ; speaks german ; memberOf hollenmark-hut-union
wilma-aschauer | Wilma Aschauer | Wilma Aschauer | Wilma Aschauer | | livesIn ottersried ; born 1969 ; speaks german + english + french ; memberOf hollenmark-hut-union
odile-marchevaux | Odile Marchevaux | Odile Marchevaux | Odile Marchevaux | | livesIn sorne-le-haut ; born 1974 ; speaks french + english ; memberOf federation-de-la-corvane
theo-lanvers | Théo Lanvers | Théo Lanvers | Théo Lanvers | Theo Lanvers@en | livesIn les-ambrettes ; born 1982 ; speaks french + german ; memberOf federation-de-la-corvane
maelle-fontcre | Maëlle Fontcré | Maëlle Fontcré | Maëlle Fontcré | Maelle Fontcre@en | livesIn les-ambrettes ; born 1991 ; speaks french + english ; memberOf federation-de-la-corvane
= Cook Person
mattis-oberreut | Mattis Oberreut | Mattis Oberreut | Mattis Oberreut | | livesIn unterlaerch ; born 1965 ; speaks german ; memberOf hollenmark-hut-union
rosa-veltin | Rosa Veltin | Rosa Veltin | Rosa Veltin | | livesIn ottersried ; born 1988 ; speaks german + english ; memberOf hollenmark-hut-union
basile-querou | Basile Querou | Basile Querou | Basile Querou | | livesIn sorne-le-haut ; born 1990 ; speaks french ; memberOf federation-de-la-corvane
ines-dourdan | Ines Dourdan | Ines Dourdan | Ines Dourdan | | livesIn les-ambrettes ; born 1986 ; speaks french + english ; memberOf federation-de-la-corvane
= Guide Person
severin-hollbach | Severin Hollbach | Severin Hollbach | Severin Hollbach | | livesIn ottersried ; born 1981 ; speaks german + english ; leads zwei-haenge-weg + ottertaler-runde
aurelie-combasse | Aurélie Combasse | Aurélie Combasse | Aurélie Combasse | Aurelie Combasse@en | livesIn les-ambrettes ; born 1983 ; speaks french + english ; leads balcon-de-l-ambre + zwei-haenge-weg
= StoreKeeper Person
gaspard-ruel | Gaspard Ruel | Gaspard Ruel | Gaspard Ruel | | livesIn sorne-le-haut ; born 1962 ; speaks french ; keepsStoreOf federation-de-la-corvane ; memberOf federation-de-la-corvane
= Guest Person
nora-feldt | Nora Feldt | Nora Feldt | Nora Feldt | | speaks english + german ; memberOf tamarack-walking-club + hollenmark-hut-union
emil-sander | Emil Sander | Emil Sander | Emil Sander | | speaks german
louise-arpin | Louise Arpin | Louise Arpin | Louise Arpin | | speaks french ; memberOf federation-de-la-corvane
= Person
clemens-rautner | Clemens Rautner | Clemens Rautner | Clemens Rautner | | born 1831 ; speaks german
hortense-valjoux | Hortense Valjoux | Hortense Valjoux | Hortense Valjoux | | born 1855 ; speaks french
= Track
track-h3 | track H3 | Weg H3 | sentier H3 | H3@en | markedIn "red" ; partOfRange hollenmark
track-c2 | track C2 | Weg C2 | sentier C2 | C2@en | markedIn "yellow" ; partOfRange corvane
= Route
zwei-haenge-weg | Two Slopes Way | Zwei-Hänge-Weg | Tour des deux versants | Two Slopes Trail@en | hasStage two-slopes-stage-1 + two-slopes-stage-2 + two-slopes-stage-3 + two-slopes-stage-4 ; startsAt unterlaerch ; endsAt refuge-de-la-sorne
ottertaler-runde | Otter Valley Round | Ottertaler Runde | Boucle de l'Otter | Ottertal Round@en | hasStage otter-stage-1 + otter-stage-2 + otter-stage-3 ; startsAt ottersried ; endsAt ottersried
balcon-de-l-ambre | Amber Balcony | Ambre-Balkon | Balcon de l'Ambre | Balcony of the Amber@en | hasStage amber-stage-1 + amber-stage-2 + amber-stage-3 ; startsAt les-ambrettes ; endsAt les-ambrettes
= Stage
two-slopes-stage-1 | stage 1 of the Two Slopes Way | 1. Etappe des Zwei-Hänge-Wegs | étape 1 de la Tour des deux versants | | stageNumber 1 ; startsAt unterlaerch ; endsAt laerchgrundhuette ; distance 6.4 ; walkingTime 2.5 ; follows track-h3
two-slopes-stage-2 | stage 2 of the Two Slopes Way | 2. Etappe des Zwei-Hänge-Wegs | étape 2 de la Tour des deux versants | | stageNumber 2 ; startsAt laerchgrundhuette ; endsAt hochkarhaus ; distance 11.2 ; walkingTime 5.0 ; follows track-h3
two-slopes-stage-3 | stage 3 of the Two Slopes Way | 3. Etappe des Zwei-Hänge-Wegs | étape 3 de la Tour des deux versants | | stageNumber 3 ; startsAt hochkarhaus ; endsAt refuge-du-lac-brisette ; distance 13.8 ; walkingTime 6.5 ; crosses nebelsattel ; follows track-h3 + track-c2
two-slopes-stage-4 | stage 4 of the Two Slopes Way | 4. Etappe des Zwei-Hänge-Wegs | étape 4 de la Tour des deux versants | | stageNumber 4 ; startsAt refuge-du-lac-brisette ; endsAt refuge-de-la-sorne ; distance 12.1 ; walkingTime 4.5 ; follows track-c2
otter-stage-1 | stage 1 of the Otter Valley Round | 1. Etappe der Ottertaler Runde | étape 1 de la Boucle de l'Otter | | stageNumber 1 ; startsAt ottersried ; endsAt dreibachhuette ; distance 8.9 ; walkingTime 3.5
otter-stage-2 | stage 2 of the Otter Valley Round | 2. Etappe der Ottertaler Runde | étape 2 de la Boucle de l'Otter | | stageNumber 2 ; startsAt dreibachhuette ; endsAt hochkarhaus ; distance 7.3 ; walkingTime 3.0
otter-stage-3 | stage 3 of the Otter Valley Round | 3. Etappe der Ottertaler Runde | étape 3 de la Boucle de l'Otter | | stageNumber 3 ; startsAt hochkarhaus ; endsAt ottersried ; distance 14.6 ; walkingTime 4.5
amber-stage-1 | stage 1 of the Amber Balcony | 1. Etappe des Ambre-Balkons | étape 1 du Balcon de l'Ambre | | stageNumber 1 ; startsAt les-ambrettes ; endsAt refuge-du-lac-brisette ; distance 7.7 ; walkingTime 3.5
amber-stage-2 | stage 2 of the Amber Balcony | 2. Etappe des Ambre-Balkons | étape 2 du Balcon de l'Ambre | | stageNumber 2 ; startsAt refuge-du-lac-brisette ; endsAt refuge-de-l-ambre ; distance 5.2 ; walkingTime 2.5
amber-stage-3 | stage 3 of the Amber Balcony | 3. Etappe des Ambre-Balkons | étape 3 du Balcon de l'Ambre | | stageNumber 3 ; startsAt refuge-de-l-ambre ; endsAt les-ambrettes ; distance 9.0 ; walkingTime 3.0
= Season
summer | summer season | Sommersaison | saison d'été | summer@en + Sommer@de + été@fr | opensOn --06-20 ; closesOn --09-30
winter | winter season | Wintersaison | saison d'hiver | winter@en + Winter@de + hiver@fr | opensOn --12-20 ; closesOn --03-15
whole-year | whole year | ganzes Jahr | toute l'année | | opensOn --01-01 ; closesOn --12-31
= Dish
barley-soup | barley soup | Gerstensuppe | soupe d'orge | | ingredient barley + carrot + leek + celery + smoked-ham
hollen-dumplings | Hollen dumplings | Hollenknödel | quenelles du Hollen | | ingredient stale-bread + egg + milk + mountain-cheese + chives
gratin-de-la-sorne | Sorne gratin | Sorne-Gratin | gratin de la Sorne | | ingredient potato + cream + mountain-cheese + nutmeg
lentil-stew | lentil stew | Linseneintopf | ragoût de lentilles | | ingredient green-lentils + carrot + onion + bay-leaf
blueberry-cake | blueberry cake | Heidelbeerkuchen | gâteau aux myrtilles | | ingredient flour + butter + sugar + egg + blueberries
= Allergen
gluten | gluten | Gluten | gluten | |
milk-allergen | milk protein | Milcheiweiss | protéine de lait | milk (allergen)@en |
egg-allergen | egg protein | Eiweiss | protéine d'œuf | egg (allergen)@en |
celery-allergen | celery protein | Sellerieeiweiss | protéine de céleri | celery (allergen)@en |
= Ingredient
barley | barley | Gerste | orge | | allergen gluten
carrot | carrot | Karotte | carotte | |
leek | leek | Lauch | poireau | |
celery | celery | Sellerie | céleri | | allergen celery-allergen
smoked-ham | smoked ham | Rauchschinken | jambon fumé | |
stale-bread | stale bread | altes Brot | pain rassis | bread@en | allergen gluten
egg | egg | Ei | œuf | eggs@en | allergen egg-allergen
milk | milk | Milch | lait | | allergen milk-allergen
mountain-cheese | mountain cheese | Bergkäse | fromage de montagne | cheese@en | allergen milk-allergen
chives | chives | Schnittlauch | ciboulette | |
potato | potato | Kartoffel | pomme de terre | |
cream | cream | Sahne | crème | | allergen milk-allergen
nutmeg | nutmeg | Muskat | muscade | |
green-lentils | green lentils | grüne Linsen | lentilles vertes | lentils@en |
onion | onion | Zwiebel | oignon | |
bay-leaf | bay leaf | Lorbeerblatt | feuille de laurier | |
flour | flour | Mehl | farine | | allergen gluten
butter | butter | Butter | beurre | | allergen milk-allergen
sugar | sugar | Zucker | sucre | |
blueberries | blueberries | Heidelbeeren | myrtilles | blueberry@en |
= WeatherStation
hochkarhaus-station | Hochkar weather station | Wetterstation Hochkar | station météo du Hochkar | | stands hochkarhaus ; altitude 2264
ambre-station | Amber weather station | Wetterstation Ambre | station météo de l'Ambre | | stands refuge-de-l-ambre ; altitude 2418
"""

# hut | rooms, each by its beds; more than four beds make a dormitory
ROOMS = """
laerchgrundhuette | 4 4 4 2 2 12 20
dreibachhuette | 4 4 4 2 2 20
hochkarhaus | 4 4 4 4 2 2 2 2 16 24
refuge-de-la-sorne | 4 4 4 4 4 2 2 16 20
refuge-du-lac-brisette | 4 4 4 2 2 8 16
refuge-de-l-ambre | 4 4 2 2 16
"""

# hut | who booked | arrival | nights | people; a party of more than ten has the warden's word
BOOKINGS = """
laerchgrundhuette | nora-feldt | 2025-06-21 | 1 | 2
dreibachhuette | emil-sander | 2025-06-22 | 2 | 1
hochkarhaus | emil-sander | 2025-06-24 | 1 | 1
refuge-de-la-sorne | louise-arpin | 2025-06-28 | 2 | 4
refuge-du-lac-brisette | louise-arpin | 2025-06-30 | 1 | 4
refuge-de-l-ambre | louise-arpin | 2025-07-01 | 1 | 4
laerchgrundhuette | emil-sander | 2025-07-05 | 1 | 3
hochkarhaus | emil-sander | 2025-07-06 | 1 | 3
hochkarhaus | nora-feldt | 2025-07-11 | 2 | 5
laerchgrundhuette | nora-feldt | 2025-07-18 | 1 | 12
hochkarhaus | nora-feldt | 2025-07-19 | 1 | 12
refuge-du-lac-brisette | nora-feldt | 2025-07-20 | 1 | 12
refuge-de-la-sorne | nora-feldt | 2025-07-21 | 1 | 12
dreibachhuette | louise-arpin | 2025-07-25 | 1 | 2
hochkarhaus | louise-arpin | 2025-07-26 | 1 | 2
refuge-de-l-ambre | emil-sander | 2025-08-02 | 2 | 2
refuge-du-lac-brisette | emil-sander | 2025-08-04 | 1 | 2
hochkarhaus | nora-feldt | 2025-08-08 | 3 | 6
dreibachhuette | nora-feldt | 2025-08-15 | 1 | 2
refuge-de-l-ambre | louise-arpin | 2025-08-16 | 1 | 8
refuge-de-la-sorne | emil-sander | 2025-08-21 | 2 | 4
laerchgrundhuette | louise-arpin | 2025-08-23 | 1 | 2
dreibachhuette | emil-sander | 2025-08-30 | 1 | 7
refuge-du-lac-brisette | louise-arpin | 2025-09-06 | 2 | 3
refuge-de-l-ambre | nora-feldt | 2025-09-12 | 1 | 2
hochkarhaus | emil-sander | 2025-09-19 | 1 | 9
refuge-de-la-sorne | nora-feldt | 2025-09-26 | 2 | 2
laerchgrundhuette | nora-feldt | 2025-12-28 | 4 | 2
refuge-de-la-sorne | louise-arpin | 2025-12-29 | 3 | 6
laerchgrundhuette | emil-sander | 2026-01-10 | 1 | 4
refuge-de-la-sorne | emil-sander | 2026-01-17 | 2 | 2
laerchgrundhuette | louise-arpin | 2026-02-07 | 2 | 5
refuge-de-la-sorne | louise-arpin | 2026-02-21 | 1 | 10
laerchgrundhuette | nora-feldt | 2026-03-07 | 1 | 3
"""

# day | Hochkar: 06:00 C, km/h, 17:00 C, km/h | Ambre: 06:00 C, Beaufort, 17:00 C, Beaufort | avalanche level there and there
WEATHER = """
2025-08-08 | 7.2 14 13.9 22 | 6.1 3 12.4 4 |
2025-08-09 | 8.0 9 15.6 12 | 7.3 2 14.8 3 |
2025-08-10 | 9.4 18 11.2 48 | 8.6 3 9.5 6 |
2025-08-11 | 3.1 62 5.0 79 | 1.8 8 3.3 9 |
2025-08-12 | 2.4 35 9.7 20 | 1.2 5 8.9 4 |
2026-01-16 | -8.5 12 -5.1 16 | -9.9 3 -6.0 3 | 2 2
2026-01-17 | -7.0 25 -6.2 41 | -8.1 4 -7.7 6 | 2 3
2026-01-18 | -9.3 55 -11.0 66 | -10.4 7 -12.5 8 | 3 4
2026-01-19 | -14.2 30 -10.8 24 | -15.6 5 -12.0 4 | 4 4
2026-01-20 | -12.7 10 -6.4 8 | -13.5 2 -7.1 2 | 3 3
"""

HERE = Path(__file__).parent
PREFIXES = {
    "": "http://huts.example/network#",
    "id": "http://huts.example/id/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
ROOM_KINDS = {
    2: ("two-bed room", "Zweibettzimmer", "chambre à deux lits"),
    4: ("four-bed room", "Vierbettzimmer", "chambre à quatre lits"),
}
DORMITORY = ("dormitory", "Matratzenlager", "dortoir")


def rows(table: str) -> list[list[str]]:
    """The cells of every line."""
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


def quoted(text: str, mark: str = "") -> str:
    """A Turtle literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' + mark


def names(english: str, german: str, french: str, others: str = "") -> list[str]:
    """Labels in three languages and the other names."""
    labels = [quoted(english, "@en"), quoted(german, "@de"), quoted(french, "@fr")]
    found = [f"rdfs:label {' , '.join(labels)}"]
    also = [name.strip().rsplit("@", 1) for name in others.split(" + ") if name.strip()]
    if also:
        found.append(f"skos:altLabel {' , '.join(quoted(text, '@' + tag) for text, tag in also)}")
    return found


TYPES = {cells[0]: cells[-1] for cells in rows(PROPERTIES)}


def value(prop: str, text: str) -> str:
    """One value as Turtle, of the type its property has."""
    kind = TYPES[prop]
    if kind == "entity":
        return f"id:{text}"
    if kind == "string":
        return quoted(text.strip('"'))
    return text if kind in ("integer", "decimal") else quoted(text, f"^^xsd:{kind}")


def fact(prop: str, text: str) -> str:
    """A property with its values."""
    return f":{prop} {' , '.join(value(prop, part.strip()) for part in text.split(' + '))}"


def block(subject: str, *parts: str) -> str:
    """One subject with all that is said of it."""
    return f"{subject} " + " ;\n    ".join(parts) + " .\n"


def vocabulary() -> list[str]:
    """Classes and properties with their names."""
    found = [block(f":{cells[0]}", "a owl:Class", *names(*cells[1:5])) for cells in rows(CLASSES)]
    for name, *labels, kind in rows(PROPERTIES):
        owl = "owl:ObjectProperty" if kind == "entity" else "owl:DatatypeProperty"
        found.append(block(f":{name}", f"a {owl}", *names(*labels)))
    return found


def things() -> list[str]:
    """The rows of THINGS; rooms join the huts they are in."""
    rooms = {hut: len(beds.split()) for hut, beds in rows(ROOMS)}
    found, types = [], ""
    for cells in rows(THINGS):
        if cells[0].startswith("="):
            types = " , ".join(f":{name}" for name in cells[0][1:].split())
            continue
        facts = [fact(*part.split(maxsplit=1)) for part in cells[5].split(" ; ") if part]
        if cells[0] in rooms:
            facts.append(
                fact(
                    "hasRoom",
                    " + ".join(f"{cells[0]}-room-{n + 1}" for n in range(rooms[cells[0]])),
                )
            )
        found.append(block(f"id:{cells[0]}", f"a {types}", *names(*cells[1:5]), *facts))
    return found


def rooms() -> list[str]:
    """One block a room."""
    labels = {cells[0]: cells[1:4] for cells in rows(THINGS) if len(cells) > 3}
    found = []
    for hut, beds in rows(ROOMS):
        for number, count in enumerate(map(int, beds.split()), start=1):
            kinds = ROOM_KINDS.get(count, DORMITORY)
            said = [
                f"{kind} {number}, {label}" for kind, label in zip(kinds, labels[hut], strict=True)
            ]
            types = "a :Room" if count in ROOM_KINDS else "a :Dormitory , :Room"
            found.append(
                block(f"id:{hut}-room-{number}", types, *names(*said), fact("beds", str(count)))
            )
    return found


def bookings() -> list[str]:
    """One block a booking, numbered by arrival."""
    wardens = dict(re.findall(r"^(\S+) \|.*; warden (\S+)", THINGS, re.MULTILINE))
    found = []
    for number, (hut, guest, arrival, nights, people) in enumerate(rows(BOOKINGS), start=1):
        facts = [
            fact("forHut", hut),
            fact("bookedBy", guest),
            fact("arrival", arrival),
            fact("nights", nights),
        ]
        facts.append(fact("partySize", people))
        if int(people) > 10:
            facts.append(fact("confirmedBy", wardens[hut]))
        said = names(*(f"{word} {number}" for word in ("booking", "Buchung", "réservation")))
        found.append(block(f"id:booking-{number}", "a :Booking", *said, *facts))
    return found


def weather() -> list[str]:
    """Two reports a day and station."""
    found = []
    for day, *stations, levels in rows(WEATHER):
        for place, station, wind, figures in zip(
            (0, 1), ("hochkarhaus", "ambre"), ("windSpeed", "windForce"), stations, strict=True
        ):
            cells = figures.split()
            for half, hour in enumerate(("06:00", "17:00")):
                zone = "+02:00" if "04" <= day[5:7] <= "10" else "+01:00"
                facts = [
                    fact("issuedBy", f"{station}-station"),
                    fact("issuedAt", f"{day}T{hour}:00{zone}"),
                ]
                facts += [fact("temperature", cells[2 * half]), fact(wind, cells[2 * half + 1])]
                if half and levels:
                    facts.append(fact("avalancheLevel", levels.split()[place]))
                said = (
                    f"weather report {station} {day} {hour}",
                    f"Wetterbericht {station} {day} {hour}",
                    f"bulletin météo {station} {day} {hour}",
                )
                name = f"{station}-report-{day}-{hour[:2]}"
                found.append(block(f"id:{name}", "a :WeatherReport", *names(*said), *facts))
    return found


def main() -> None:
    """Writes the file."""
    head = [
        "# The catalogue of the Two Slopes Network. Fictional; written for kgnb; CC0-1.0. Made by build_graph.py."
    ]
    head += [f"@prefix {prefix}: <{iri}> ." for prefix, iri in PREFIXES.items()]
    blocks = [*vocabulary(), *things(), *rooms(), *bookings(), *weather()]
    (HERE / "graph.ttl").write_text("\n".join([*head, "", *blocks]), encoding="utf-8")


if __name__ == "__main__":
    main()
